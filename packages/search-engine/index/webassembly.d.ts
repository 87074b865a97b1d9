/** What the service uses of WebAssembly. TypeScript has its types with those of browsers only. */
declare namespace WebAssembly {
  type Module = object;
  const Module: new (bytes: Uint8Array) => Module;

  type Instance = { readonly exports: Record<string, unknown> };
  const Instance: new (module: Module, imports: Record<string, Record<string, Memory>>) => Instance;

  /** With 64-bit addresses; sizes are in pages of 64 KiB. */
  type Memory = { readonly buffer: SharedArrayBuffer; grow: (pages: bigint) => bigint };
  const Memory: new (options: { address: 'i64'; initial: bigint; maximum: bigint; shared: true }) => Memory;
}
