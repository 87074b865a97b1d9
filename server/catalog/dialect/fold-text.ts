/** Letters with a stroke, or without their dot: Unicode takes them for letters of their own. */
export const strokes = { from: 'ØøŁłĐđı', to: 'OoLlDdi' };

const strokePattern = new RegExp(`[${strokes.from}]`, 'g');
const isPlain = (text: string): boolean => !/[^\0-\x7f]/.test(text);

/** A text without accents and with the letters A to Z in small, as texts are compared where people type them: `Zürich` as `zurich`, `Tromsø` as `tromso`. */
export function foldText(text: string): string {
  const letters = isPlain(text)
    ? text
    : text
        .normalize('NFKD')
        .replaceAll(/[\u0300-\u036f]/g, '')
        .replaceAll(strokePattern, (letter) => strokes.to.charAt(strokes.from.indexOf(letter)));
  return letters.replaceAll(/[A-Z]+/g, (capitals) => capitals.toLowerCase());
}
