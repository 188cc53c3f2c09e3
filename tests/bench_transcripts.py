"""Made-up outputs of benchmarks, with the quirks of real ones."""

from __future__ import annotations

import json

HEAD = """#                                                              out-of-place                       in-place
#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong
#        (B)    (elements)                               (us)  (GB/s)  (GB/s)            (us)  (GB/s)  (GB/s)
"""
NCCL = f"""$ srun -N2 --ntasks-per-node=2 --mpi=pmix ./build/all_reduce_perf -b 1G -e 2G -f 2
# nccl-tests version 2.17.1 nccl-headers=22803 nccl-library=22803
# Collective test starting: all_reduce_perf
# nThread 1 nGpus 1 minBytes 1073741824 maxBytes 4294967296 step: 2(factor) warmup iters: 5 \
iters: 20 agg iters: 1 validation: 1 graph: 0
#
# Using devices
#  Rank  0 Group  0 Pid   4711 on node0001 device  0 [0000:1b:00] NVIDIA H100 80GB HBM3
#  Rank  1 Group  0 Pid   4712 on node0001 device  1 [0000:43:00] NVIDIA H100 80GB HBM3
#  Rank  2 Group  0 Pid   4711 on node0002 device  0 [0000:1b:00] NVIDIA H100 80GB HBM3
#  Rank  3 Group  0 Pid   4712 on node0002 device  1 [0000:43:00] NVIDIA H100 80GB HBM3
# Reducing maxBytes to 2147483648 due to memory limitation
node0001:4711:4711 [0] NCCL INFO NCCL_IB_HCA set by environment to mlx5_0,mlx5_3
node0001:4711:4720 [0] NCCL INFO NET/IB : Using [0]mlx5_0:1/IB [1]mlx5_3:1/IB [RO]; OOB eno1:10.0.0.1<0>
node0001:4711:4720 [0] NCCL INFO comm 0x5 rank 0 nRanks 4 nNodes 2 localRanks 2 localRank 0 MNNVL 0
node0001:4711:4720 [0] NCCL INFO 16 coll channels, 16 collnet channels, 8 nvls channels, 16 p2p channels
{HEAD}node0001:4711:4730 [0] NCCL INFO Channel 00/0 : 3[1] -> 0[0] [receive] via NET/IB/1/GDRDMA
node0001:4711:4730 [0] NCCL INFO Connected all rings
  1073741824     268435456     float     sum      -1   4478.8  239.74  359.61      0   4463.7  240.55  360.82      0
  2147483648     536870912     float     sum      -1   8722.7  246.20  369.29      2   8717.9  246.33  369.49    N/A
# Out of bounds values : 2 FAILED
# Avg bus bandwidth    : 364.802
#
# Collective test concluded: all_reduce_perf
"""
COPIES = f"""$ mpirun -np 2 -x NCCL_DEBUG=VERSION ./build/all_reduce_perf -b 8 -e 8 -g 1
[1,0]<stdout>:# nThread 1 nGpus 1 minBytes 8 maxBytes 8 step: 1048576(bytes) warmup iters: 5 \
iters: 20 agg iters: 1 validation: 1 graph: 0
[1,1]<stdout>:# nThread 1 nGpus 1 minBytes 8 maxBytes 8 step: 1048576(bytes) warmup iters: 5 \
iters: 20 agg iters: 1 validation: 1 graph: 0
[1,0]<stdout>:#  Rank  0 Group  0 Pid      7 on node0001 device  0 [0x1b] NVIDIA H100 80GB HBM3
[1,1]<stdout>:#  Rank  0 Group  0 Pid      7 on node0002 device  0 [0x1b] NVIDIA H100 80GB HBM3
{HEAD}           8             2     float     sum      -1     3.10    0.00    0.00      0     0.07    0.12    0.00      0
           8             2     float     sum      -1     3.20    0.00    0.00      0     0.07    0.12    0.00      0
# Out of bounds values : 0 OK
# Avg bus bandwidth    : 0
# Out of bounds values : 0 OK
# Avg bus bandwidth    : 0
"""
OLD = """# nThread 1 nGpus 2 minBytes 8 maxBytes 16 step: 2(factor) warmup iters: 5 iters: 20 validation: 1
# Using devices
#   Rank  0 Pid   7 on    gpuhost device  0 [0x34] Tesla V100-SXM3-32GB
#   Rank  1 Pid   7 on    gpuhost device  1 [0x36] Tesla V100-SXM3-32GB
#       size         count    type   redop     time   algbw   busbw  error     time   algbw   busbw  error
#        (B)    (elements)                     (us)  (GB/s)  (GB/s)            (us)  (GB/s)  (GB/s)
           8             2   float     sum     9.10    0.00    0.00  1e-07     8.07    0.00    0.00  1e+00
gpuhost: Test CUDA failure common.cu:891 'out of memory'
 .. gpuhost pid 7: Test failure common.cu:1002
"""
NO_SLOTS = """--------------------------------------------------------------------------
There are not enough slots available in the system to satisfy the 32
slots that were requested by the application:

  /srv/nccl-tests/build/all_gather_perf
--------------------------------------------------------------------------
"""
WRITE_BW = """# ib_write_bw -d mlx5_0 -a -F --report_gbits -q 2 --use_cuda=0 node0002
 Listing all CUDA devices in system:
 CUDA device 0: PCIe address is 1B:00
---------------------------------------------------------------------------------------
                    RDMA_Write Bidirectional BW Test
 Dual-port       : OFF\t\tDevice         : mlx5_0
 Number of qps   : 2\t\tTransport type : IB
 Connection type : RC\t\tUsing SRQ      : OFF
 Mtu             : 4096[B]
 Link type       : IB
 rdma_cm QPs\t : OFF
---------------------------------------------------------------------------------------
 local address: LID 0x01 QPN 0x033c PSN 0x3eed8c RKey 0x90001109 VAddr 0x007ffb3144c000
 remote address: LID 0x02 QPN 0x033d PSN 0xc9c4d5 RKey 0x90001209 VAddr 0x007f6402247000
---------------------------------------------------------------------------------------
 #bytes     #iterations    BW peak[Gb/sec]    BW average[Gb/sec]   MsgRate[Mpps]
 2          5000           0.11               0.10                 6.500000
Conflicting CPU frequency values detected: 1200.5 != 3200.1. CPU Frequency is not max.
 8388608    5000             784.12             783.90 \t\t   0.011681
---------------------------------------------------------------------------------------
"""
WRITE_MIB = """                    RDMA_Read BW Test
 #bytes     #iterations    BW peak[MB/sec]    BW average[MB/sec]   MsgRate[Mpps]
 65536      1000           4000.00            4000.00              0.064000
 65536      1000           4000.00            4000.00              0.061035
 65536      1000           4000.00            4000.00              0.090000
"""
LATENCY = """                    RDMA_Write Latency Test
 Dual-port       : OFF          Device         : mlx5_3
 Link type       : Ethernet
---------------------------------------------------------------------------------------
 #bytes #iterations    t_min[usec]    t_max[usec]  t_typical[usec]    t_avg[usec]    t_stdev[usec]   \
99% percentile[usec]   99.9% percentile[usec]
 2       1000          1.90           4.10         1.95               1.96           0.05            2.20                   3.90
---------------------------------------------------------------------------------------
"""
NVBANDWIDTH = """nvbandwidth Version: v0.8
Built from Git version: v0.8

CUDA Runtime Version: 12080
Driver Version: 570.86.15

Device 0: NVIDIA H100 80GB HBM3 (00000000:1b:00)

Running device_to_host_memcpy_ce.
memcpy CE CPU(row) <- GPU(column) bandwidth (GB/s)
           0         1
 0     55.15     54.90

SUM device_to_host_memcpy_ce 110.05

Waived:
Running device_to_device_memcpy_read_ce.
memcpy CE GPU(row) -> GPU(column) bandwidth (GB/s)
           0         1
 0       N/A    387.20
 1    386.90       N/A

SUM device_to_device_memcpy_read_ce 774.10

Running host_device_latency_sm.
memory latency SM CPU(row) <-> GPU(column) (ns)
           0
 0    800.00

SUM host_device_latency_sm 800.00

NOTE: The reported results may not reflect the full capabilities of the platform.
Performance can vary with software drivers, hardware clocks, and system topology.
"""
NVBANDWIDTH_JSON = json.dumps(
    {
        "nvbandwidth": {
            "Driver Version": "570.86.15",
            "git_version": "v0.8",
            "testcases": [
                {
                    "name": "device_to_host_memcpy_ce",
                    "status": "Passed",
                    "bandwidth_description": "memcpy CE CPU(row) <- GPU(column) bandwidth (GB/s)",
                    "bandwidth_matrix": [["55.15", "54.90"]],
                    "sum": 110.05,
                },
                {"name": "multinode_device_to_device_memcpy_read_ce", "status": "Error", "error": "no IMEX"},
            ],
        }
    },
    indent=1,
)
STREAM = """-------------------------------------------------------------
STREAM version $Revision: 5.10 $
-------------------------------------------------------------
This system uses 8 bytes per array element.
Array size = 400000000 (elements), Offset = 0 (elements)
Each kernel will be executed 10 times.
Number of Threads counted = 96
Function    Best Rate MB/s  Avg time     Min time     Max time
Copy:          401234.5     0.016100     0.015950     0.016400
Scale:         390000.0     0.016500     0.016410     0.016800
Add:           410000.0     0.023600     0.023410     0.024000
Triad:         412000.0     0.023500     0.023300     0.023900
Solution Validates: avg error less than 1.000000e-13 on all three arrays
"""
BANDWIDTH_TEST = """[CUDA Bandwidth Test] - Starting...
Running on...

 Device 0: NVIDIA H100 80GB HBM3
 Quick Mode

 Host to Device Bandwidth, 1 Device(s)
 PINNED Memory Transfers
   Transfer Size (Bytes)\tBandwidth(GB/s)
   32000000\t\t\t55.2

Result = PASS
"""
P2P = """[P2P (Peer-to-Peer) GPU Bandwidth Latency Test]
Device: 0, NVIDIA H100 80GB HBM3, pciBusID: 1b, pciDeviceID: 0, pciDomainID:0
Device=0 CAN Access Peer Device=1
P2P Connectivity Matrix
     D\\D     0     1
     0\t     1     1
     1\t     1     1
Unidirectional P2P=Disabled Bandwidth Matrix (GB/s)
   D\\D     0      1
     0 2500.10  38.20
     1  38.40 2510.00
P2P=Enabled Latency (P2P Writes) Matrix (us)
   GPU     0      1
     0   2.10   2.60
     1   2.65   2.12

   CPU     0      1
     0   1.90   1.40
     1   1.45   1.95

NOTE: The CUDA Samples are not meant for performance measurements. Results may vary when GPU Boost is enabled.
"""
NCCL_LOG = """node0001:7:7 [0] NCCL INFO NCCL version 2.28.3+cuda12.9
node0001:7:9 [0] NCCL INFO NCCL_SOCKET_IFNAME set by environment to eno1
node0001:7:9 [0] NCCL INFO NET/IB : No device found.
node0001:7:9 [0] NCCL INFO NET/Socket : Using [0]eno1:10.0.0.1<0>
node0001:7:9 [0] NCCL INFO Channel 00/0 : 1[0] -> 0[0] [receive] via NET/Socket/0
node0001:7:9 [0] NCCL INFO ncclCommInitRank comm 0x5 rank 0 nranks 2 cudaDev 0 nvmlDev 0 busId 1b000 commId 0x1 - Init COMPLETE
[2026-01-31 12:00:00] node0002:7:9 [0] socket.cc:12 NCCL WARN Net : Connection closed by remote peer
"""
INSPECTOR = (
    json.dumps(
        {
            "header": {"id": "0x1", "rank": 0, "n_ranks": 4, "nnodes": 1},
            "metadata": {"inspector_output_format_version": "v4.0", "hostname": "node0001", "pid": 7},
            "coll_perf": {
                "coll": "AllReduce",
                "coll_msg_size_bytes": 4096,
                "coll_exec_time_us": 12,
                "coll_algobw_gbs": 0.34,
                "coll_busbw_gbs": 0.51,
            },
        },
        separators=(",", ":"),
    )
    + "\n"
)
TOPOLOGY = """<system version="1">
  <cpu numaid="1" affinity="ffff0000,00000000,ffff0000" arch="x86_64" vendor="GenuineIntel" familyid="6" modelid="143">
    <pci busid="0000:15:01.0" class="0x060400" vendor="0x1000" device="0xc030" link_speed="32.0 GT/s PCIe" link_width="16">0
      <pci busid="0000:1b:00.0" class="0x030200" vendor="0x10de" device="0x2330" link_speed="32.0 GT/s PCIe" link_width="16">
        <gpu dev="0" sm="90" rank="0" gdr="1">
          <nvlink target="0000:07:00.0" count="4" tclass="0x068000"/>
        </gpu>
      </pci>
      <pci busid="0000:1a:00.0" class="0x020700" link_speed="" link_width="0">
        <nic>
          <net name="mlx5_0" dev="0" speed="400000" port="1" guid="0x1" gdr="1"/>
        </nic>
      </pci>
    </pci>
  </cpu>
</system>
"""
TEXTS = {
    "nccl-tests": NCCL,
    "nccl-tests/copies": COPIES,
    "nccl-tests/old": OLD,
    "perftest": WRITE_BW,
    "perftest/mib": WRITE_MIB,
    "perftest/latency": LATENCY,
    "nvbandwidth": NVBANDWIDTH,
    "nvbandwidth/json": NVBANDWIDTH_JSON,
    "stream": STREAM,
    "bandwidthTest": BANDWIDTH_TEST,
    "p2pBandwidthLatencyTest": P2P,
    "nccl-info": NCCL_LOG,
    "nccl-info/inspector": INSPECTOR,
    "nccl-topo-xml": TOPOLOGY,
}
