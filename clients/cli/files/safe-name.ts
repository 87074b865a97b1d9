import { unsafeCharacters } from '../output/escape-text.ts';

/** Names that Windows keeps for devices, whatever their extension. */
const devices = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i;

/** Longest name in bytes that file systems take (255), less what is added while a file is written. */
const maxBytes = 200;

/**
 * A name for a file in one folder, made of the name that a service gives: no path, nothing hidden (`.bashrc`), no option of a command
 * (`-rf`), nothing that a system refuses. Names that are harmless stay as they are.
 */
export function toSafeName(name: string): string {
  const plain = name
    .normalize('NFC')
    .replaceAll(/[/\\:*?"<>|]/g, '_')
    .replaceAll(unsafeCharacters, '_')
    .trim()
    .replace(/^[.-]+/, '_')
    .replace(/[. ]+$/, '_');
  const safe = devices.test(plain) ? `_${plain}` : plain;
  return shorten(safe === '' ? '_' : safe);
}

const byteLength = (text: string): number => new TextEncoder().encode(text).length;

/** Cuts the part before the extension, by whole characters. */
function shorten(name: string): string {
  if (byteLength(name) <= maxBytes) return name;
  const dot = name.lastIndexOf('.');
  const extension = dot > 0 && name.length - dot <= 16 ? name.slice(dot) : '';
  const stem = Array.from(name.slice(0, name.length - extension.length));
  while (byteLength(stem.join('')) + byteLength(extension) > maxBytes) stem.pop();
  return stem.join('') + extension;
}
