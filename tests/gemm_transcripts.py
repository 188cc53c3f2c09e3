"""Texts of benchmarks of multiplication, written for the tests in the forms that the tools print."""

from __future__ import annotations

PROFTESTER = """Skipping CreateDcgmGroups() since DCGM validation is disabled
CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT: 132
Max Memory bandwidth: 3352320000000 bytes (3352.32 GiB)
Skipping WatchFields() since DCGM validation is disabled
Worker 0:0[1004]: Message: Bus ID 00000000:1B:00.0 mapped to cuda device ID 0
Worker 0:0[1004]: DCGM CudaContext Init completed successfully.
Worker 0:0[1004]: TensorEngineActive: generated ???, dcgm 0.000 (601234.5 gflops)
Worker 1:0[1004]: TensorEngineActive: generated ???, dcgm 0.000 (602000.0 gflops)
Worker 0:0 [1004]: TensorEngineActive: generated ???, dcgm 0 (6.03e+05 gflops).
Worker 1:0[1002]: SmActivity: generated 0.55, dcgm 0.54, error 0.01
Skipping UnwatchFields() since DCGM validation is disabled
"""
MATMUL = """$ ./cublasMatmulBench -P=tst -m=8192 -n=9728 -k=16384 -ta=0 -tb=1 -A=1 -B=0 -T=1000 -W=10000 -p=t
Device 0: "NVIDIA H100 80GB HBM3"
testing cublasLt
matrixSize Total: 373293056
#### args: ta=N tb=T m=8192 n=9728 k=16384  alpha = (0x3f800000, 1) beta= (0x00000000, 0)
#### args: lda=8192 ldb=9728 ldc=8192 ldd=8192 loop=1000
^^^^ gpu time statistics: runs 1000, mean 3.405000 ms, min 3.390000 ms, 20 percent 3.400000 ms, \
50 percent 3.404000 ms, max 3.500000 ms
^^^^ CUDA : elapsed = 3.405 sec,  Gflops = 766918.302
testing cublasLt pass
"""
STRESS = """WATCHDOG starting, TIMEOUT: 600 seconds
./gst capturing GPU information...
Detected 2 CUDA Capable device(s)
Device 0: "NVIDIA H100 80GB HBM3"
Initilizing H100 based test suite
GPU Memory: 79, memgb: 95
Device 0: "NVIDIA H100 80GB HBM3", PCIe: 1b

***** STARTING TEST 0: FP16 On Device 0 NVIDIA H100 80GB HBM3
testing cublasLt
#### args: ta=N tb=T m=12288 n=9216 k=32768 lda=12288 ldb=9216 ldc=12288 loop=100
^^^^ CUDA : elapsed = 1 sec,  Gflops = 742170.348
testing cublasLt pass
***** TEST FP16 On Device 0 NVIDIA H100 80GB HBM3
***** TEST PASSED ****
***** STARTING TEST 1: Loop On Device 1 NVIDIA H100 80GB HBM3
testing cublasLt
#### args: ta=N tb=T m=4096 n=4096 k=4096 lda=4096 ldb=4096 ldc=4096 loop=100
testing cublasLt fail
***** TEST FAILED ****
"""
MAMF_TWO = """
Benchmark started on 2026-01-31 12:00:00

** Command line:
/usr/bin/python ./mamf-finder.py --m_range 0 20480 256 --n 4096 --k 4096 --output_file=h100.txt

** Dtype: torch.bfloat16

** Platform/Device info:
- Linux node0001 6.8.0 #1 SMP x86_64
- _CudaDeviceProperties(name='NVIDIA H100 80GB HBM3', major=9, minor=0, total_memory=81089MB, multi_processor_count=132)

** Critical software versions:
- torch=2.6.0
- cuda=12.4

** Critical environment variables:
- PYTORCH_TUNABLEOP_ENABLED=0

** Additional notes:
- benchmark version: 2

--------------------------------------------------------------------------------

Warming up the accelerator for 30 secs ... accelerator warmup finished
     1 |  556.1(mean)  558.2(median)  562.3(max) @ 256x4096x4096        | best:  556.1(mean)  558.2(median)  562.3(max) TFLOPS
Tried 80 shapes => the best outcomes were:
mean:   771.2 TFLOPS @ 8192x4096x4096 (MxNxK)
median: 772.9 TFLOPS @ 8192x4096x4096 (MxNxK)
max:    801.0 TFLOPS @ 7936x4096x4096 (MxNxK)

Across 80 shapes in range: m=[0, 20480, 256] | n=[4096] | k=[4096] in this run:
arithmetic mean: 701.1 TFLOPS
geometric mean:  698.1 TFLOPS

Legend: TFLOPS = 10**12 FLOPS
Elapsed time: 0:11:09
"""
MAMF_FOUR = """** Command line:
python mamf-finder.py --dtype float8_e4m3fn --m_range 1024 4097 1024 --n 1536 2816 --k 4096

** Dtype: float8_e4m3fn

- _CudaDeviceProperties(name='NVIDIA H200', major=9, minor=0, total_memory=143167MB, multi_processor_count=132)
- benchmark version: 4

Grid search: sweeping 8 shapes (scout 20 iters / 8 warmup), then confirm ...
     #  MxNxK                mean median    max   best     W   MHz
     8  3072x2816x4096     1428.4 1428.6 1431.6 1428.4   506  1980  <- best mean

MSMF (sustainable) confirm: 10 shapes ...
  MxNxK              TFLOPS     W   MHz

--------------------------------------------------------------------------------

** Results:

Tried 8 shapes => the best outcomes were:
MAMF (max achievable,  boost burst): 1442 TFLOPS @ 3072x2816x4096 (MxNxK)  172W 1980MHz
MSMF (max sustainable, saturated):   1222 TFLOPS @ 3072x2816x4096 (MxNxK)  681W 1612MHz
note: 7 same-board sibling GPU(s) sat idle during the MSMF measurement, so MSMF reads high.
      Share of the time each was idle: GPU1 100%

Across 8 shapes in range: m=[1024, 4097, 1024] | n=[1536, 2816] | k=[4096] in this run:
arithmetic mean: 1101.1 TFLOPS
geometric mean:  1098.1 TFLOPS

Legend: TFLOPS = 10**12 FLOPS
Elapsed time: 0:01:09
"""
BURN = """Using compare file: compare.ptx
Burning for 60 seconds.
GPU 0: NVIDIA H100 80GB HBM3 (UUID: GPU-11111111-2222-3333-4444-555555555555)
GPU 1: NVIDIA H100 80GB HBM3 (UUID: GPU-11111111-2222-3333-4444-666666666666)
Initialized device 0 with 81079 MB of memory (80484 MB available, using 72436 MB of it), using FLOATS, using Tensor Cores
Results are 268435456 bytes each, thus performing 280 iterations
Initialized device 1 with 81079 MB of memory (80484 MB available, using 72436 MB of it), using FLOATS, using Tensor Cores
Results are 268435456 bytes each, thus performing 280 iterations
\r5.0%  proc'd: 280 (381402 Gflop/s) - 0 (0 Gflop/s)   errors: 0 - 0   temps: 45 C - 44 C \
\r50.0%  proc'd: 2800 (401402 Gflop/s) - 2800 (402000 Gflop/s)   errors: 0 - 3  (WARNING!)  temps: 56 C - 57 C
\tSummary at:   Sat Jan 31 12:00:30 UTC 2026

100.0%  proc'd: 5600 (400402 Gflop/s) - 5600 (401000 Gflop/s)   errors: 0 - 0   temps: 58 C - 59 C   power: 690 W - 688 W
Killing processes with SIGTERM (soft kill)
Freed memory for dev 0
Uninitted cublas
Freed memory for dev 1
Uninitted cublas
done

Tested 2 GPUs:
\tGPU 0: OK
\tGPU 1: FAULTY
"""
TEXTS = {
    "dcgmproftester": PROFTESTER,
    "cublasMatmulBench": MATMUL,
    "cublasMatmulBench/stress": STRESS,
    "mamf-finder": MAMF_TWO,
    "mamf-finder/four": MAMF_FOUR,
    "gpu-burn": BURN,
}
