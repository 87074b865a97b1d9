/**
 * Splits a JSON body while it arrives: the image in base64 in its member `image`, which may be large, and everything else. Only the
 * string of the image is decoded here; whether the rest is valid JSON is decided by the parser, which gets all of it.
 */

const quote = 0x22;
const backslash = 0x5c;
/** Longest beginning of a data URL, `data:image/png;base64,`. */
const maxPrefixLength = 1024;

const escapes: Record<string, string> = { '"': '"', '\\': '\\', '/': '/', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };

/** The body is not JSON: within the image, which the parser does not see. */
export class InvalidJsonError extends Error {
  override name = 'BrokenJsonError';
}

/** Decodes base64, base64url and data URLs piece by piece. Invalid characters set a flag and are skipped. */
class Base64Decoder {
  valid = true;
  #prefix: string | null = '';
  #letters = 0;
  #padding = 0;
  #rest = '';

  push(text: string): Buffer {
    if (!this.valid) return Buffer.alloc(0);
    if (this.#prefix === null) return this.#decode(text);
    this.#prefix += text;
    const begin = this.#prefix.slice(0, 5).toLowerCase();
    if (begin !== 'data:'.slice(0, begin.length)) {
      const content = this.#prefix;
      this.#prefix = null;
      return this.#decode(content);
    }
    const comma = this.#prefix.indexOf(',');
    if (comma === -1) {
      if (this.#prefix.length > maxPrefixLength) this.valid = false;
      return Buffer.alloc(0);
    }
    const content = this.#prefix.slice(comma + 1);
    if (!/;base64$/i.test(this.#prefix.slice(0, comma))) this.valid = false;
    this.#prefix = null;
    return this.#decode(content);
  }

  /** The last bytes. */
  end(): Buffer {
    // So short that it might have been the beginning of `data:`.
    const late = this.#prefix === null || this.#prefix.includes(':') ? Buffer.alloc(0) : this.#decode(this.#prefix);
    if (this.#letters === 0) this.valid = false;
    return Buffer.concat([late, Buffer.from(this.#rest, 'base64')]);
  }

  #decode(text: string): Buffer {
    const content = text.replaceAll(/\s+/g, '');
    if (content === '') return Buffer.alloc(0);
    const [, letters = '', padding = ''] = /^([\w+/-]*)(=*)$/.exec(content) ?? [];
    if (letters.length + padding.length < content.length || (letters !== '' && this.#padding > 0)) this.valid = false;
    this.#letters += letters.length;
    this.#padding += padding.length;
    if (this.#padding > 2) this.valid = false;
    const all = this.#rest + content;
    const whole = all.length - (all.length % 4);
    this.#rest = all.slice(whole);
    return Buffer.from(all.slice(0, whole), 'base64');
  }
}

export class JsonImageSplitter {
  /** The JSON text with `"…"` in place of an image that is not empty, as far as it has arrived. */
  readonly #text: Buffer[] = [];
  textLength = 0;
  #depth = 0;
  #inString = false;
  #escaped = false;
  /** The string that is being read at the top level, as JSON; null outside of one. */
  #string: number[] | null = null;
  #expectsKey = false;
  #key = '';
  #image: Base64Decoder | null = null;
  #isImageEmpty = true;
  /** What has arrived of an escape within the image. */
  #escape = '';
  /** How often a member `image` with a string began. The last counts, as for JSON parsers. */
  imageCount = 0;

  /** Whether the image is base64. */
  get valid(): boolean {
    return this.#decoded?.valid ?? true;
  }
  #decoded: Base64Decoder | null = null;

  get text(): string {
    return Buffer.concat(this.#text).toString('utf8');
  }

  /** Takes bytes of the body. Returns bytes of the image. Throws `InvalidJsonError`. */
  push(bytes: Buffer): Buffer {
    const images: Buffer[] = [];
    for (let i = 0; i < bytes.length;) {
      if (this.#image) {
        const [next, image] = this.#readImage(bytes, i, this.#image);
        i = next;
        images.push(image);
      } else {
        i = this.#readRest(bytes, i);
      }
    }
    return Buffer.concat(images);
  }

  #keep(bytes: Buffer): void {
    if (bytes.length === 0) return;
    // A copy: the view would hold all of what arrived.
    this.#text.push(Buffer.from(bytes));
    this.textLength += bytes.length;
  }

  /** Reads until the image begins or the bytes end; returns where. */
  #readRest(bytes: Buffer, begin: number): number {
    for (let i = begin; i < bytes.length; i++) {
      const byte = bytes[i] as number;
      if (this.#inString) {
        if (this.#string) this.#string.push(byte);
        if (this.#escaped) this.#escaped = false;
        else if (byte === backslash) this.#escaped = true;
        else if (byte === quote) this.#endString();
      } else if (byte === quote) {
        if (this.#depth === 1 && !this.#expectsKey && this.#key === 'image') {
          this.#image = new Base64Decoder();
          this.#decoded = this.#image;
          this.#isImageEmpty = true;
          this.imageCount += 1;
          this.#keep(bytes.subarray(begin, i + 1));
          return i + 1;
        }
        this.#inString = true;
        this.#string = this.#depth === 1 && this.#expectsKey ? [byte] : null;
      } else if (byte === 0x7b || byte === 0x5b) {
        this.#depth += 1;
        // `{`: what follows is a key. Within a list at the top there are none.
        if (this.#depth === 1) this.#expectsKey = byte === 0x7b;
      } else if (byte === 0x7d || byte === 0x5d) {
        this.#depth -= 1;
      } else if (this.#depth === 1 && byte === 0x3a) {
        this.#expectsKey = false;
      } else if (this.#depth === 1 && byte === 0x2c) {
        this.#expectsKey = true;
        this.#key = '';
      }
    }
    this.#keep(bytes.subarray(begin));
    return bytes.length;
  }

  #endString(): void {
    this.#inString = false;
    if (!this.#string) return;
    try {
      this.#key = JSON.parse(Buffer.from(this.#string).toString()) as string;
    } catch {
      // The parser refuses it.
      this.#key = '';
    }
    this.#string = null;
  }

  /** Reads the image until its closing quotation mark or the end of the bytes. */
  #readImage(bytes: Buffer, begin: number, decoder: Base64Decoder): [number, Buffer] {
    const images: Buffer[] = [];
    const take = (text: string) => {
      if (text !== '') this.#isImageEmpty = false;
      images.push(decoder.push(text));
    };
    // Each is looked for again only once it was passed, so that many of one kind do not cost a search for the other.
    let nextQuote = -1;
    let nextBackslash = -1;
    for (let i = begin; i < bytes.length;) {
      if (this.#escape !== '') {
        this.#escape += String.fromCodePoint(bytes[i] as number);
        i += 1;
        const character = readEscape(this.#escape);
        if (character === undefined) continue;
        this.#escape = '';
        take(character);
        continue;
      }
      if (nextQuote < i) nextQuote = orEnd(bytes.indexOf(quote, i), bytes);
      if (nextBackslash < i) nextBackslash = orEnd(bytes.indexOf(backslash, i), bytes);
      const end = Math.min(nextQuote, nextBackslash);
      const text = bytes.toString('latin1', i, end);
      if (/\p{Cc}/u.test(text)) throw new InvalidJsonError('There is a control character in a string.');
      take(text);
      if (end === nextBackslash && end < bytes.length) this.#escape = '\\';
      if (end === nextQuote && end < bytes.length) {
        images.push(decoder.end());
        this.#image = null;
        this.#keep(Buffer.from(this.#isImageEmpty ? '"' : '…"'));
        return [end + 1, Buffer.concat(images)];
      }
      i = end + 1;
    }
    return [bytes.length, Buffer.concat(images)];
  }
}

const orEnd = (index: number, bytes: Buffer): number => (index === -1 ? bytes.length : index);

/** What an escape stands for; undefined while it is not whole. Throws `InvalidJsonError`. */
function readEscape(escape: string): string | undefined {
  if (escape[1] !== 'u') {
    const character = escapes[escape[1] ?? ''];
    if (character === undefined) throw new InvalidJsonError('There is an unknown escape in a string.');
    return character;
  }
  if (!/^\\u[\da-f]{0,4}$/i.test(escape)) throw new InvalidJsonError('There is a broken escape in a string.');
  return escape.length === 6 ? String.fromCodePoint(Number.parseInt(escape.slice(2), 16)) : undefined;
}
