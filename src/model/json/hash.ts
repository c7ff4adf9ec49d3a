import { z } from 'zod';
import { Fault } from '../fault/fault.ts';
import { inputFault } from '../fault/guard-input.ts';
import { canonicalize } from './canonical.ts';
import type { Json } from './json.ts';

/** SHA-256 of UTF-8 text as lower-case hex. It is a parameter, because the kernel has no crypto of its own. */
export type Hash = (text: string) => string;

/** `sha256:` and the hex digest of a value's canonical form. Values with equal meaning have equal addresses. */
export type Address = `sha256:${string}`;

export const ADDRESS_PATTERN: RegExp = /^sha256:[0-9a-f]{64}$/;

export function address(hash: Hash, value: Json): Address {
  return addressOfText(hash, canonicalize(value));
}

/** Returns the address of a text as it is, for example of a blob. */
export function addressOfText(hash: Hash, text: string): Address {
  if (typeof hash !== 'function')
    throw new Fault('input_invalid', 'an address needs a hash function: machinery().hash of ambit/records is one');
  try {
    return `sha256:${hash(text)}`;
  } catch (error) {
    throw inputFault('addressOfText', error);
  }
}

export const ContentAddress: z.ZodType<Address> = z.custom<Address>(
  (value) => typeof value === 'string' && ADDRESS_PATTERN.test(value),
  'must be sha256: and 64 lower-case hex digits',
);

/** The version of a list of specs: its content address. */
export function versionOf(specs: readonly unknown[], hash: Hash): string {
  return address(hash, specs as Json);
}
