import { canonicalize } from './canonical.ts';
import type { Json } from './json.ts';

/** SHA-256 of UTF-8 text as lower-case hex. A parameter, because the kernel has no crypto of its own. */
export type Hash = (text: string) => string;

/** `sha256:` and the hex digest of a value's canonical form. Equal meaning, equal address. */
export type Address = `sha256:${string}`;

export const ADDRESS_PATTERN: RegExp = /^sha256:[0-9a-f]{64}$/;

export function address(hash: Hash, value: Json): Address {
  return `sha256:${hash(canonicalize(value))}`;
}

/** The address of bytes that are already text, such as a stored frame. */
export function addressOfText(hash: Hash, text: string): Address {
  return `sha256:${hash(text)}`;
}
