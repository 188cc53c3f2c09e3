"""Tools of what a machine tells of its GPUs: tool name -> module that reads it."""

from __future__ import annotations

GPU_TOOLS: dict[str, str] = {
    "nvidia-smi": "nvidia_smi",
    "nvidia-smi-q": "nvidia_smi_q",
    "nvidia-smi-xml": "nvidia_smi_xml",
    "nvidia-smi-csv": "nvidia_smi_csv",
    "nvidia-smi-l": "nvidia_smi_list",
    "nvidia-smi-topo": "nvidia_smi_topo",
    "nvidia-smi-nvlink": "nvidia_smi_nvlink",
    "dcgmi-diag": "dcgmi_diag",
    "dcgmi-nvlink": "dcgmi_nvlink",
    "fabricmanager-log": "fabricmanager_log",
    "imex": "imex",
    "nvos": "nvos",
}
