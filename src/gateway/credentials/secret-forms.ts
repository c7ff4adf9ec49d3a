/** One way in which a secret is written. Found by its core; the characters beside it may hold some bits of it too. */
export interface SecretForm {
  readonly core: string;
  readonly before: 0 | 1;
  readonly after: 0 | 1;
}

/**
 * As it is, inside of JSON that is itself a text, in addresses, as hexadecimal digits, and in Base64 wherever it stands
 * in what was encoded: `Basic` followed by the Base64 of user and password has no part that is the password alone.
 */
export function formsOf(secret: string): readonly SecretForm[] {
  const whole = secret.toWellFormed();
  const bytes = Buffer.from(whole, 'utf8');
  const hex = bytes.toString('hex');
  const plain = [secret, JSON.stringify(secret).slice(1, -1), hex, hex.toUpperCase(), ...percentForms(whole, bytes)];
  const exact = [...new Set(plain)].map((core): SecretForm => ({ core, before: 0, after: 0 }));
  return [...exact, ...base64Forms(bytes, 'base64'), ...base64Forms(bytes, 'base64url')];
}

/** Encoders differ in what they leave as it is, in how they write a space, and in the case of their digits. */
function percentForms(text: string, bytes: Buffer): readonly string[] {
  const component = encodeURIComponent(text);
  const strict = component.replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
  const every = Array.from(bytes, (byte) => `%${byte.toString(16).padStart(2, '0').toUpperCase()}`).join('');
  const once = [encodeURI(text), component, strict, every].flatMap((form) => [form, form.replaceAll('%20', '+')]);
  const cased = once.flatMap((form) => [form, form.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase())]);
  return [...cased, ...cased.map(encodeURIComponent)];
}

/** Three bytes are four characters, so there are three ways to stand in them; padding is part of none. */
function base64Forms(bytes: Buffer, alphabet: 'base64' | 'base64url'): readonly SecretForm[] {
  return [0, 1, 2].map((offset): SecretForm => {
    const bits = (offset + bytes.length) * 8;
    const encoded = Buffer.concat([Buffer.alloc(offset), bytes]).toString(alphabet);
    const core = encoded.slice(Math.ceil((offset * 8) / 6), Math.floor(bits / 6));
    return { core, before: offset === 0 ? 0 : 1, after: bits % 6 === 0 ? 0 : 1 };
  });
}
