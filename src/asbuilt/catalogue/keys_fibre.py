"""The figures of trunks, panels, physical layers and rules of laying, one per line: name, shape, meaning."""

FIBRE = """
    class text trunk, panel, phy or rule
    """
FIBRE_MAY = """
    media text fibre: multimode or single-mode
    grade text fibre grade: OM3, OM4, OM5 or OS2
    connector text connector of one leg, or of the adapters
    polish text ferrule polish: apc or upc
    legs some legs of a trunk, each with a connector at both ends; adapters of one panel position
    strands count fibres of the trunk
    polarity text array cable type: A, B or C
    gender text pins of the trunk's connectors: male or female
    od_mm number outside diameter
    mass_kg_m number mass of a metre
    pull_max_n number largest pull
    lengths_m numbers stock lengths
    attenuation_db_km number attenuation of the fibre
    loss_max_db number insertion loss of one mated pair, at most
    height_u number height
    weight_kg number weight
    positions some trunk positions of a panel
    adapter text array adapter type: A (key up to key down) or B (key up to key up)
    loss_om3_max_db number loss of the whole channel on OM3, at most
    loss_om4_max_db number loss of the whole channel on OM4, at most
    loss_os2_max_db number loss of the whole channel on OS2, at most
    reach_om3_m number longest channel on OM3
    reach_om4_m number longest channel on OM4
    reach_os2_m number longest channel on OS2
    bend_rest_times number least bend radius at rest over the outside diameter
    bend_pull_times number least bend radius under pull over the outside diameter
    bend_copper_times number least bend radius of copper cable over the outside diameter
    bend_cord_mm number least bend radius of a cord
    friction_fraction number friction between jacket and tray
    slack_percent number allowance on the length of a trunk
    spare_percent number spare trunks of every route
    fill_plan_percent number fill of a tray to plan for
    fill_most_percent number fill of a tray that is full
    pair_loss_max_db number loss of any mated pair, at most
    splice_loss_max_db number loss of a splice, at most
    """
