/** What the service uses of WebAssembly. TypeScript has its types with those of browsers only. */
declare namespace WebAssembly {
  class Module {
    constructor(bytes: Uint8Array);
  }
  class Instance {
    constructor(module: Module, imports: Record<string, Record<string, Memory>>);
    readonly exports: Record<string, (...numbers: number[]) => void>;
  }
  /** With 64-bit addresses; sizes are in pages of 64 KiB. */
  class Memory {
    constructor(options: { address: 'i64'; initial: bigint; maximum: bigint; shared: true });
    readonly buffer: SharedArrayBuffer;
    grow(pages: bigint): bigint;
  }
}
