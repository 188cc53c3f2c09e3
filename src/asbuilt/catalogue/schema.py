"""What a part of each kind may say: key, meaning, unit, shape, and whether the key must be there.

The loader holds every file against this, and the reference page is generated from it. A key that is not declared here
is refused with the nearest declared name, unless it starts with ``x_`` (a user's own note, checked for its unit suffix only).
"""

from __future__ import annotations

from dataclasses import dataclass

KINDS = (
    "system",
    "gpu",
    "nic",
    "switch",
    "optic",
    "cable",
    "rack",
    "power",
    "cooling",
    "storage",
    "software",
    "fabric",
)

KIND_MEANING = {
    "system": "GPU servers and NVL72 compute trays",
    "gpu": "accelerators",
    "nic": "network cards by part, and BMC ports",
    "switch": "switches of every plane, NVLink trays",
    "optic": "pluggable transceivers",
    "cable": "copper and active optical cables, fibre jumpers",
    "rack": "racks",
    "power": "rack PDUs, power shelves, busway",
    "cooling": "coolant distribution units, coolants, air classes",
    "storage": "storage performance classes per scalable unit",
    "software": "software limits and versions",
    "fabric": "reference fabric profiles",
}

# Ending of a key -> the only unit that may stand with it. Longer endings are tried first.
SUFFIX_UNITS = {
    "_gbytes_s": "GB/s",
    "_tbytes_s": "TB/s",
    "_db_km": "dB/km",
    "_m3_h": "m³/h",
    "_l_min": "L/min",
    "_kg_m3": "kg/m³",
    "_kj_kg_k": "kJ/(kg·K)",
    "_mpa_s": "mPa·s",
    "_tflops": "TFLOPS",
    "_fraction": "fraction",
    "_percent": "%",
    "_gbps": "Gb/s",
    "_tbps": "Tb/s",
    "_kva": "kVA",
    "_bar": "bar",
    "_kpa": "kPa",
    "_mw": "MW",
    "_kw": "kW",
    "_kg": "kg",
    "_mm": "mm",
    "_um": "µm",
    "_gb": "GB",
    "_tb": "TB",
    "_hz": "Hz",
    "_db": "dB",
    "_w": "W",
    "_m": "m",
    "_u": "U",
    "_c": "°C",
    "_k": "K",
    "_v": "V",
    "_a": "A",
}
_QUALIFIERS = ("_max", "_min", "_typical")

SHAPES = {
    "number": "a number",
    "count": "a whole number, 0 or more",
    "text": "a text",
    "flag": "true or false",
    "texts": "a list of texts",
    "numbers": "a list of numbers",
    "rows": "a list of mappings",
    "map": "a mapping of numbers",
}


@dataclass(frozen=True, slots=True)
class Key:
    """One figure that a kind of part may hold."""

    name: str
    shape: str
    meaning: str
    required: bool = False

    @property
    def unit(self) -> str:
        """The unit that the key's name demands; empty for counts, names, lists of names and flags."""
        return suffix_unit(self.name) or ""


def suffix_unit(name: str) -> str | None:
    """The unit that the ending of ``name`` demands (``inlet_c_max``: °C), or None where the name carries none."""
    for qualifier in _QUALIFIERS:
        name = name.removesuffix(qualifier)
    for ending, unit in SUFFIX_UNITS.items():
        if name.endswith(ending):
            return unit
    return None


def _keys(required: str, optional: str) -> tuple[Key, ...]:
    """Keys from lines ``name shape meaning…``, the required ones first."""
    made = []
    for text, must in ((required, True), (optional, False)):
        for line in text.strip().splitlines():
            if line.strip():
                name, shape, meaning = line.strip().split(None, 2)
                made.append(Key(name, shape, meaning, must))
    return tuple(made)


_SYSTEM = _keys(
    """
    gpu text catalogue id of the GPU
    gpus_per_node count GPUs of one server or compute tray
    nodes_per_unit count compute trays that come as one rack (1: servers come singly)
    nvlink_domain_gpus count GPUs that share one NVLink or Infinity Fabric domain
    height_u number height of one server or tray
    power_max_w number nameplate input of one server or tray, for feeders
    heat_max_w number heat of one server or tray, for cooling
    power_expected_w number input of one server or tray under load, for energy
    liquid_fraction number share of the heat that leaves in liquid
    psus count power supplies of one server (0: fed from the rack's busbar)
    psu_w number rating of one power supply
    psus_needed count power supplies that carry full load
    cord_type text inlet and plug of the power cords
    sockets count CPU sockets
    gpu_sockets numbers CPU socket of each GPU, in GPU order
    gpu_rails numbers compute rail of each GPU, in GPU order
    nics rows network ports of one server or tray, in PCI order: name part plane rail socket cage rate_gbps link_type
    nodes_per_rack count servers or trays of one rack in the reference build
    fabrics texts fabric profiles that fit, the default first
    """,
    """
    form text what it is, in a few words
    cpu text CPUs
    cpus_per_unit count CPUs of one rack
    memory_tb number system memory
    depth_mm number depth of the chassis
    weight_kg number weight of one server or tray
    airflow_m3_h number air to provide at full load
    airflow_commission_m3_h number air to measure on the running machine, where that figure differs
    heat_published_w number heat as printed, where cooling uses another figure
    power_idle_w number input of one idle server
    power_peak_w number short peak of the input, for breakers and busway
    power_previous_w number nameplate input in an earlier edition of the guide
    dc_input_max_a number largest current of the DC input
    dc_input_v number voltage of the DC input
    weight_busbar_kg number weight of the busbar version
    airflow_busbar_m3_h number air of the busbar version
    inlet_c_max number highest air temperature at the inlet
    inlet_c_min number lowest air temperature at the inlet
    psu_redundancy text redundancy as the guide words it
    psus_reduced count power supplies with which it still runs, slower
    local_cache_tb number local NVMe for data
    heatsink text fin type of the modules in the compute cages: finned or flat
    compute_cages count cages of the compute ports
    lifecycle text sale status
    unit_power_max_w number nameplate input of one whole rack, for feeders
    unit_heat_max_w number heat of one whole rack
    unit_power_expected_w number input of one whole rack under load
    unit_power_nominal_w number input of one whole rack as the maker's round figure
    unit_power_peak_w number short peak of one whole rack
    unit_liquid_w number heat of one whole rack that leaves in liquid
    unit_air_w number heat of one whole rack that leaves in air
    unit_weight_kg number weight of one whole rack, without coolant where not said
    unit_liquid_fraction number share of the rack's heat that leaves in liquid
    unit_height_u number height of one whole rack
    unit_width_mm number width of one whole rack
    unit_depth_mm number depth of one whole rack
    unit_airflow_m3_h number air to provide for one whole rack
    unit_coolant_l_min number coolant of one whole rack, design value
    unit_coolant_points rows coolant by supply temperature: supply_c flow_l_min drop_psi
    coolant text coolant allowed
    coolant_c_max number highest coolant supply temperature
    coolant_working_bar number highest working pressure of the loop
    coolant_burst_bar number burst pressure of the loop
    coolant_filter_um number coarsest filter allowed
    quick_disconnect text quick-disconnect type
    wetted_materials text materials allowed and banned in the loop
    nvlink_switch_trays count NVLink switch trays of one rack
    nvlink_switch text catalogue id of the NVLink switch tray
    management_switches count top-of-rack management switches built into one rack
    power_shelves count power shelves of one rack
    power_shelf_w number rating of one power shelf
    power_shelves_needed count power shelves that must carry the rack after a feed is lost
    busbar_a number rating of the rack's busbar
    busbar_v number nominal voltage of the rack's busbar
    shelf_efficiency_fraction number peak efficiency of the power shelves
    spine_cables count copper cables of the rack's NVLink spine, at least
    transient_ratio number power of synchronised phases over the steady state
    u_stack text order of the trays from top to bottom
    """,
)

_GPU = _keys(
    """
    maker text maker
    memory_gb number memory usable
    memory_bandwidth_tbytes_s number memory bandwidth
    bf16_dense_tflops number BF16 without sparsity
    fp8_dense_tflops number FP8 without sparsity
    tdp_w number power limit of one GPU
    scale_up_gbytes_s number NVLink or Infinity Fabric bandwidth of one GPU, both directions summed
    scale_up_domain_gpus count GPUs that one scale-up domain joins
    """,
    """
    form text module form
    memory_raw_gb number memory as often printed, before reservation
    """,
)

_NIC = _keys(
    """
    link_types texts link layers that the part can run: infiniband, ethernet
    rates_gbps numbers rates of one port, fastest first
    ports count ports
    cage text cage form factor
    heatsink text fin type of the modules that fit: finned, flat or none
    """,
    """
    rates_ethernet_gbps numbers rates of one port in Ethernet mode, where they differ
    ports_ethernet count ports in Ethernet mode, where they differ
    pci_device_id text PCI device id
    pcie_gen count PCI Express generation
    pcie_lanes count PCI Express lanes of the edge connector
    pcie_note text what else it needs to reach its rate
    asic text device name that mst and ibnetdiscover show
    opn text ordering part number
    lane_gbps number rate of one electrical lane
    power_max_w number power at most
    oob_ports count own management ports, each needs an out-of-band switch port
    link_type_tool text how the link layer is set and read
    default_mode text mode as shipped in DGX systems
    """,
)

_SWITCH = _keys(
    """
    technology text link layer: infiniband, ethernet or nvlink
    rate_gbps number rate of one port, unsplit
    ports count ports at that rate
    cages count front-panel cages of those ports
    ports_per_cage count ports of one cage at that rate
    splits map ports of the whole switch at each rate it can be split to
    asics count switch ASICs, each with a GUID of its own
    height_u number height
    power_max_w number power with all modules
    cage text cage form factor
    heatsink text fin type of the modules in its cages: finned, flat or none
    """,
    """
    power_typical_w number power with passive cables
    power_max_proxy text part whose maximum stands in
    weight_kg number weight
    depth_mm number depth
    airflow texts air directions it is sold with
    management_ports count out-of-band ports to cable
    management_port_gbps number rate of a management port
    cage_power_w number power one cage can feed to a module
    lane_gbps number rate of one electrical lane
    planes_note text how ASICs and planes map to ports
    asic text switch silicon
    managed flag true when it carries its own management CPU
    sharp count SHARP generation
    opn text ordering part number
    uplink_ports count further faster ports, for uplinks
    uplink_rate_gbps number rate of the uplink ports
    aux_ports text further ports
    capacity_tbps number one-way capacity
    cooling text air or liquid
    heat_liquid_fraction number share of the heat that leaves in liquid
    dc_input text DC supply variant
    light_sources count pluggable laser modules
    """,
)

_MEDIUM_OPTIONAL = """
    power_max_w number power of one module or one end, at most
    power_typical_w number power of one module, typical
    form_factor text form factor of the module or of the switch end
    heatsink text fin type: finned, flat or none
    polish text ferrule polish: apc or upc
    connector text optical connector, or far-end form factors
    reach_split_m number reach through a 1:2 splitter, or to a single-port module
    reach_om3_m number reach on OM3
    length_min_m number shortest link
    opn text ordering part number
    link_types texts link layers it is sold for
    generation count lane rate: 50, 100 or 200 (Gb/s)
    downshift flag true when slower lanes are allowed
    lanes count lanes of one port
"""
_OPTIC = _keys(
    """
    media text fibre: multimode or single-mode
    rate_gbps number rate of one port
    ports count optical ports of the module
    reach_m number reach on straight fibre
    power_max_w number power at most
    form_factor text form factor
    heatsink text fin type: finned, flat or none
    connector text optical connector
    fits texts cages it fits
    generation count lane rate: 50, 100 or 200 (Gb/s)
    """,
    "\n".join(
        line
        for line in _MEDIUM_OPTIONAL.strip().splitlines()
        if line.split()[0] not in ("power_max_w", "form_factor", "heatsink", "connector", "generation")
    ),
)
_CABLE = _keys(
    """
    media text copper, active-copper, aoc, multimode or single-mode
    rate_gbps number rate of one link it carries (0: fibre, any)
    ports count links it carries
    reach_m number longest it may be
    lengths_m numbers stock lengths
    fixed_ends flag true when the ends are part of the cable
    fits texts cages or connectors of its ends, near end first
    """,
    _MEDIUM_OPTIONAL
    + """
    far_ends count ends on the far side (2: a splitter)
    loss_max_db number insertion loss of one mated pair, at most
    attenuation_db_km number attenuation of the fibre
    """,
)

_RACK = _keys(
    """
    height_u number usable height
    width_mm number width
    depth_mm number depth
    load_max_kg number static load it carries
    weight_kg number weight, empty
    """,
    """
    power_max_kw number power that its feeding and cooling are made for
    power_low_kw number lower end of that range
    pdus count rack PDUs of the reference build
    note_use text what it is for
    """,
)

_POWER = _keys(
    """
    class text rack-pdu, power-shelf, busway or circuit
    """,
    """
    voltage_v number line voltage
    phase_conductors count phase conductors
    breaker_a number breaker rating
    usable_a number current usable without end
    capacity_kva number apparent power usable without end
    capacity_w number power
    outlets_c19 count C19 outlets
    outlets_c13 count C13 outlets
    continuous_fraction number share of the breaker for loads of three hours or more
    height_u number height
    psus count power supplies inside
    psu_w number rating of one power supply
    efficiency_fraction number peak efficiency
    tap_offs text how loads are tapped
    ratings rows capacity by rated current: amps voltage_v capacity_kva
    """,
)

_COOLING = _keys(
    """
    class text cdu, coolant, air-class or liquid-class
    """,
    """
    capacity_kw number heat it moves at the approach stated
    approach_k number approach temperature of that capacity
    flow_l_min number secondary flow at the pressure stated
    pressure_kpa number external pressure at that flow
    pumps count pumps running for that flow
    supply_c_min number lowest supply temperature
    supply_c_max number highest supply temperature
    filter_um number secondary filter
    filter_fine_um number finer filter offered
    secondary_max_kpa number highest secondary pressure
    design_l_min_per_kw number design flow per kilowatt
    racks_claimed count NVL72 racks the maker claims
    density_kg_m3 number density at 40 °C
    heat_capacity_kj_kg_k number specific heat at 40 °C
    viscosity_mpa_s number dynamic viscosity at 40 °C
    recommended_c_min number lower end of the recommended range
    recommended_c_max number upper end of the recommended range
    allowable_c_min number lower end of the allowable range
    allowable_c_max number upper end of the allowable range
    return_c number return temperature that reproduces the maker's flow table
    """,
)

_STORAGE = _keys(
    """
    class text performance class
    su_read_gbytes_s number read of one scalable unit
    su_write_gbytes_s number write of one scalable unit
    su_gpus count GPUs of that scalable unit
    """,
    """
    node_read_gbytes_s number read of a single node
    node_write_gbytes_s number write of a single node
    su4_read_gbytes_s number read of four scalable units
    su4_write_gbytes_s number write of four scalable units
    work text work it suits
    dataset text how the data relates to the local cache
    capacity_tb_per_gpu number capacity to plan for each GPU, in terabytes
    power_w_per_tb number power of the arrays for each terabyte, in watts
    node_link_gbytes_s number network limit of one node
    """,
)

_SOFTWARE = _keys(
    """
    class text fabric-limit, scheduler-limit or checkpoint-rule
    """,
    """
    unicast_lids count unicast LIDs of one subnet
    multicast_lid_first count first multicast LID
    lmc_max count largest LID mask control
    lmc_default count LID mask control as shipped
    subnet_end_ports rows end ports by LMC: lmc end_ports
    sharp_by_switch map SHARP generation by switch
    sharp_quota text quota of one job
    practical_nodes text where the defaults stop working
    nodes_max count nodes in one controller
    jobs_max count jobs known at once
    array_max count largest job array
    tree_width count fan-out of messages
    bytes_per_parameter number bytes saved for each parameter
    bytes_per_parameter_upper number the same with gradients
    bytes_per_parameter_observed number the same as seen in practice
    interval_rule text how often to save
    link_type_ib count value of LINK_TYPE_Pn for InfiniBand
    link_type_eth count value of LINK_TYPE_Pn for Ethernet
    link_type_activation text what makes a change take effect
    pue_average number facility power over IT power, average
    pue_best number facility power over IT power, best
    pue_large number facility power over IT power, large sites in a survey
    pue_air number facility power over IT power, air-cooled design
    pue_liquid number facility power over IT power, liquid-cooled design
    """,
)

KEYS: dict[str, tuple[Key, ...]] = {
    "system": _SYSTEM,
    "gpu": _GPU,
    "nic": _NIC,
    "switch": _SWITCH,
    "optic": _OPTIC,
    "cable": _CABLE,
    "rack": _RACK,
    "power": _POWER,
    "cooling": _COOLING,
    "storage": _STORAGE,
    "software": _SOFTWARE,
}
"""Kind -> its keys. ``fabric`` is absent: a profile's figures are free, its ``planes`` follow the requirement's structure."""

# An NVL72 system describes one compute tray; these say what the rack around it is, and must be there.
UNIT_KEYS = (
    "unit_power_max_w",
    "unit_heat_max_w",
    "unit_power_expected_w",
    "unit_weight_kg",
    "unit_liquid_fraction",
    "unit_height_u",
    "unit_airflow_m3_h",
    "nvlink_switch_trays",
    "power_shelves",
    "power_shelf_w",
)

NIC_FIELDS = ("name", "part", "plane", "rail", "socket", "cage", "rate_gbps", "link_type")


def key(kind: str, name: str) -> Key | None:
    """The declared key ``name`` of ``kind``, or None."""
    return _INDEX.get(kind, {}).get(name)


def required(kind: str) -> tuple[str, ...]:
    """Names of the keys that every part of ``kind`` must hold."""
    return _REQUIRED.get(kind, ())


_INDEX = {kind: {k.name: k for k in keys} for kind, keys in KEYS.items()}
_REQUIRED = {kind: tuple(k.name for k in keys if k.required) for kind, keys in KEYS.items()}
