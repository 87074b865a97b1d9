/**
 * What makes glibc return freed memory to the system, by the variable that each process reads at its start: blocks of more than these bytes
 * are mapped one by one. By default it raises this limit as large blocks are freed, up to 32 MB, and keeps what is freed from then on: a
 * process that loads weights keeps 50 MB more. It takes no more processor time: decoders and ONNX Runtime reuse their large blocks.
 */
export const childMemorySettings = { MALLOC_MMAP_THRESHOLD_: String(256 * 1024) };
