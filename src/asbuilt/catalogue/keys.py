"""The figures of each kind of part, one per line: name, shape, meaning. `schema` reads these texts."""

SYSTEM = """
    gpu text catalogue id of the GPU
    gpus_per_node some GPUs of one server or compute tray
    nodes_per_unit some compute trays that come as one rack (1: servers come singly)
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
    """
SYSTEM_MAY = """
    form text what it is, in a few words
    cpu text CPUs
    cpus_per_unit count CPUs of one rack
    memory_tb number system memory
    architecture text x86_64 or aarch64
    dimms count memory modules (0: memory is soldered)
    dimm_gib number size of one memory module
    memory_channels count memory channels of one socket
    nvswitches count NVSwitch chips of one server
    bmc flag it has a BMC
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
    unit_liquid_other_fraction number the same share by another source
    unit_coolant_drop_kpa number pressure drop of one whole rack at its design flow
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
    management_switch text catalogue id of these switches
    power_shelves count power shelves of one rack
    power_shelf_w number rating of one power shelf
    power_shelves_needed count power shelves that must carry the rack after a feed is lost
    busbar_a number rating of the rack's busbar
    busbar_v number nominal voltage of the rack's busbar
    shelf_efficiency_fraction number peak efficiency of the power shelves
    spine_cables count copper cables of the rack's NVLink spine, at least
    spine_cartridges count cable cartridges of the rack's NVLink spine
    transient_ratio number power of synchronised phases over the steady state
    u_stack text order of the trays from top to bottom
    """

GPU = """
    maker text maker
    memory_gb number memory usable
    memory_bandwidth_tbytes_s number memory bandwidth
    bf16_dense_tflops number BF16 without sparsity
    fp8_dense_tflops number FP8 without sparsity
    tdp_w number power limit of one GPU
    scale_up_gbytes_s number NVLink or Infinity Fabric bandwidth of one GPU, both directions summed
    scale_up_domain_gpus count GPUs that one scale-up domain joins
    """
GPU_MAY = """
    form text module form
    pci_ids texts PCI ids that it may have: vendor:device
    shown_as texts names that the driver's tools print
    memory_mib number memory as the driver's tools show it
    pcie_gen count PCI Express generation
    pcie_lanes count PCI Express lanes
    nvlinks count NVLinks of one GPU (0: none)
    nvlink_gbytes_s number rate of one NVLink as the driver's tools show it, one direction
    memory_raw_gb number memory as often printed, before reservation
    """

NIC = """
    link_types texts link layers that the part can run: infiniband, ethernet
    rates_gbps numbers rates of one port, fastest first
    ports count ports
    cage text cage form factor
    heatsink text fin type of the modules that fit: finned, flat or none
    """
NIC_MAY = """
    accepts texts module form factors that its cages take
    rates_ethernet_gbps numbers rates of one port in Ethernet mode, where they differ
    ports_ethernet count ports in Ethernet mode, where they differ
    pci_device_id text PCI device id
    pci_vendor_id text PCI vendor id
    shown_as texts card types that tools print
    functions count PCI functions of one card, as shipped
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
    """

SWITCH = """
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
    """
SWITCH_MAY = """
    power_typical_w number power with passive cables
    power_max_proxy text part whose maximum stands in
    weight_kg number weight
    depth_mm number depth
    airflow texts air directions it is sold with
    accepts texts module form factors that its cages take
    management_ports count out-of-band ports to cable
    management_port_gbps number rate of a management port
    cage_power_w number power one cage can feed to a module
    lane_gbps number rate of one electrical lane
    planes_note text how ASICs and planes map to ports
    asic text switch silicon
    packet_buffer_gb number packet buffer that all ports share
    managed flag true when it carries its own management CPU
    sharp count SHARP generation
    opn text ordering part number
    uplink_ports count further faster ports, for uplinks
    uplink_rate_gbps number rate of the uplink ports
    aux_ports text further ports
    capacity_tbps number one-way capacity
    cooling text air or liquid
    dc_input text DC supply variant
    light_sources count pluggable laser modules
    """

RACK = """
    height_u number usable height
    width_mm number width
    depth_mm number depth
    load_max_kg number static load it carries
    weight_kg number weight, empty
    """
RACK_MAY = """
    power_max_kw number power that its feeding and cooling are made for
    power_low_kw number lower end of that range
    pdus count rack PDUs of the reference build
    height_mm number outside height, feet included
    coolant_l number coolant in its manifolds, hoses and devices, where it is cooled by liquid
    note_use text what it is for
    """

POWER = """
    class text rack-pdu, power-shelf, busway or circuit
    """
POWER_MAY = """
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
    banks count outlet banks, each with a breaker of its own
    bank_a number continuous current of one bank
    bank_breaker_a number rating of a bank's breaker
    outlet_v number voltage at the outlets
    rating_basis text breaker: the site's basis derates it; derated: the figure is the continuous one
    plug text plug of its inlet
    mount text how it is mounted
    inlet_c_max number highest air temperature around it
    receptacle text receptacle class
    whip_conductor text conductors of the whip
    whip_r_mohm_m number resistance of one conductor of the whip
    material text conductor material
    impedance rows impedance by rated current: amps r_mohm_m x_mohm_m
    neutral_ratio number impedance of the neutral over that of a phase conductor
    short_circuit_ka number short-circuit current it withstands
    busbar_load_v number voltage of the busbar at full load
    """

COOLING = """
    class text cdu, coolant, coupling, clamp, air-class or liquid-class
    """
COOLING_MAY = """
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
    vessel_l number coolant that its expansion vessel takes
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
    pump_points rows published points of the pumps, pumps 0 where not said: pumps flow_l_min pressure_kpa
    cv number flow factor at least: US gallons a minute at 1 psi
    rated_l_min number flow that it is rated for, or was checked at
    working_kpa number highest working pressure
    burst_kpa number least burst pressure
    connect_kpa number highest pressure at which it may be connected
    torque_n_m number tightening torque
    torque_percent number tolerance of the torque
    width_mm number width
    depth_mm number depth
    height_mm number height
    weight_kg number weight in service
    """

STORAGE = """
    class text performance class
    su_read_gbytes_s number read of one scalable unit
    su_write_gbytes_s number write of one scalable unit
    su_gpus count GPUs of that scalable unit
    """
STORAGE_MAY = """
    node_read_gbytes_s number read of a single node
    node_write_gbytes_s number write of a single node
    su4_read_gbytes_s number read of four scalable units
    su4_write_gbytes_s number write of four scalable units
    work text work it suits
    dataset text how the data relates to the local cache
    capacity_tb_per_gpu number capacity to plan for each GPU, in terabytes
    power_w_per_tb number power of the arrays for each terabyte, in watts
    node_link_gbytes_s number network limit of one node
    gpu_read_gbytes_s number read that one GPU may ask for
    gpu_link_gbps number storage bandwidth to plan for each GPU
    """

SOFTWARE = """
    class text fabric-limit, scheduler-limit, checkpoint-rule or facility-rule
    """
SOFTWARE_MAY = """
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
    """

# What optics and cables have in common.
MEDIUM_MAY = """
    power_max_w number power of one module or one end, at most
    power_typical_w number power of one module, typical
    form_factor text form factor of the module or of the switch end
    heatsink text fin type: finned, flat or none
    polish text ferrule polish: apc or upc
    connector text optical connector, or far-end form factors
    reach_split_m number reach through a 1:2 splitter, or to a single-port module
    reach_om3_m number reach on OM3
    reach_single_m number reach to a single-port module
    length_min_m number shortest link
    opn text ordering part number
    link_types texts link layers it is sold for
    generation count lane rate: 10, 25, 50, 100 or 200 (Gb/s)
    downshift flag true when slower lanes are allowed
    lanes count lanes of one port
    phy text catalogue id of the physical layer that it speaks, for its loss budget
"""

OPTIC = """
    media text fibre: multimode or single-mode
    rate_gbps number rate of one port
    ports count optical ports of the module
    reach_m number reach on straight fibre
    power_max_w number power at most
    form_factor text form factor
    heatsink text fin type: finned, flat or none
    connector text optical connector
    fits texts cages it fits
    generation count lane rate: 10, 25, 50, 100 or 200 (Gb/s)
    """
CABLE = """
    media text copper, active-copper, aoc, multimode or single-mode
    rate_gbps number rate of one link it carries (0: fibre, any)
    ports count links it carries
    reach_m number longest it may be
    lengths_m numbers stock lengths
    fixed_ends flag true when the ends are part of the cable
    fits texts cages or connectors of its ends, near end first
    """
CABLE_MAY = (
    MEDIUM_MAY
    + """
    far_ends count ends on the far side (2: a splitter)
    far_form_factor text form factor of the far end, where it differs
    far_heatsink text fin type of the far end, where it differs
    strands count fibres of one cable
    polarity text fibre polarity
    loss_max_db number insertion loss of one mated pair, at most
    attenuation_db_km number attenuation of the fibre
    od_mm number outside diameter
    mass_kg_m number mass of a metre
    pull_max_n number largest pull
    """
)
