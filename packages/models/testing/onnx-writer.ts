/** Writes ONNX: protocol buffers as onnx.proto describes them (https://github.com/onnx/onnx). */

export const float = 1;
export const int64 = 7;
export const bool = 9;

const varint = (value: number): number[] => {
  const bytes = [];
  for (let rest = value; ; rest = Math.floor(rest / 128)) {
    if (rest < 128) return [...bytes, rest];
    bytes.push((rest % 128) | 128);
  }
};
const number = (field: number, value: number): Buffer => Buffer.from([...varint(field * 8), ...varint(value)]);
const bytes = (field: number, content: Uint8Array | string): Buffer => {
  const data = Buffer.from(content);
  return Buffer.concat([Buffer.from([...varint(field * 8 + 2), ...varint(data.length)]), data]);
};
const message = (...fields: Buffer[]): Buffer => Buffer.concat(fields);

export const node = (type: string, inputs: string[], output: string, ...attributes: Buffer[]): Buffer =>
  bytes(
    1,
    message(
      ...inputs.map((input) => bytes(1, input)),
      bytes(2, output),
      bytes(4, type),
      ...attributes.map((each) => bytes(5, each)),
    ),
  );
export const integer = (name: string, value: number): Buffer =>
  message(bytes(1, name), number(3, value), number(20, 2));
export const integers = (name: string, values: number[]): Buffer =>
  message(bytes(1, name), ...values.map((value) => number(8, value)), number(20, 7));
export const constant = (name: string, dims: number[], values: number[]): Buffer =>
  bytes(
    5,
    message(
      ...dims.map((dim) => number(1, dim)),
      number(2, float),
      bytes(8, name),
      bytes(9, new Uint8Array(Float32Array.from(values).buffer)),
    ),
  );
export const value = (field: number, name: string, type: number, dims: (string | number)[]): Buffer => {
  const shape = message(...dims.map((dim) => bytes(1, typeof dim === 'string' ? bytes(2, dim) : number(1, dim))));
  return bytes(field, message(bytes(1, name), bytes(2, bytes(1, message(number(1, type), bytes(2, shape))))));
};
export const model = (...graph: Buffer[]): Buffer =>
  message(number(1, 8), bytes(7, message(...graph, bytes(2, 'tiny'))), bytes(8, message(bytes(1, ''), number(2, 17))));
/** Whole numbers, as shapes and axes are. */
export const whole = (name: string, dims: number[], values: number[]): Buffer =>
  bytes(
    5,
    message(
      ...dims.map((dim) => number(1, dim)),
      number(2, int64),
      bytes(8, name),
      bytes(9, new Uint8Array(BigInt64Array.from(values, BigInt).buffer)),
    ),
  );
