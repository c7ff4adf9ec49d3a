/** One encoding of a secret. `core` is searched for; the adjacent characters may hold some of its bits too. */
export interface SecretForm {
  readonly core: string;
  readonly before: 0 | 1;
  readonly after: 0 | 1;
}

/**
 * The secret as it is, JSON-escaped, percent-encoded, in hexadecimal, and in Base64 at every byte offset: the Base64 of
 * `user:password` has no part that is the Base64 of the password.
 */
export function secretForms(secret: string): readonly SecretForm[] {
  const text = secret.toWellFormed();
  const bytes = Buffer.from(text, 'utf8');
  const hex = bytes.toString('hex');
  const plain = [secret, JSON.stringify(secret).slice(1, -1), hex, hex.toUpperCase(), ...percentForms(text, bytes)];
  const exact = [...new Set(plain)].map((core): SecretForm => ({ core, before: 0, after: 0 }));
  return [...exact, ...base64Forms(bytes, 'base64'), ...base64Forms(bytes, 'base64url')];
}

/**
 * Percent-encodings. Encoders differ in the characters they leave alone, in the space and in the case of the digits.
 */
function percentForms(text: string, bytes: Buffer): readonly string[] {
  const component = encodeURIComponent(text);
  const strict = component.replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
  const every = Array.from(bytes, (byte) => `%${byte.toString(16).padStart(2, '0').toUpperCase()}`).join('');
  const once = [encodeURI(text), component, strict, every].flatMap((form) => [form, form.replaceAll('%20', '+')]);
  const cased = once.flatMap((form) => [form, form.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase())]);
  return [...cased, ...cased.map(encodeURIComponent)];
}

/** The three Base64 forms, one per offset within a group of three bytes, without padding. */
function base64Forms(bytes: Buffer, alphabet: 'base64' | 'base64url'): readonly SecretForm[] {
  return [0, 1, 2].map((offset): SecretForm => {
    const bits = (offset + bytes.length) * 8;
    const encoded = Buffer.concat([Buffer.alloc(offset), bytes]).toString(alphabet);
    const core = encoded.slice(Math.ceil((offset * 8) / 6), Math.floor(bits / 6));
    return { core, before: offset === 0 ? 0 : 1, after: bits % 6 === 0 ? 0 : 1 };
  });
}

type Range = [from: number, to: number];

/** The ranges of a text that hold this form, with the adjacent characters that share its bits. */
export function findForm(input: string, { core, before, after }: SecretForm): readonly Range[] {
  const found: Range[] = [];
  for (let at = input.indexOf(core); at >= 0; at = input.indexOf(core, at + core.length)) {
    const to = at + core.length;
    found.push([isBase64(input[at - 1]) ? at - before : at, isBase64(input[to]) ? to + after : to]);
  }
  return found;
}

const isBase64 = (sign: string | undefined): boolean => sign !== undefined && /[\w+/-]/.test(sign);
