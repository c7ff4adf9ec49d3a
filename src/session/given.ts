import { Fault } from '../model/fault.ts';
import type { Address } from '../model/hash.ts';
import { takeJson } from '../model/take-json.ts';

/** A person's words as plain data of one's own, before anybody looks at them twice. */
export const given = <T extends object>(words: T): T => takeJson(words) as unknown as T;

/** An id as somebody names it. Whether there is such a thing is for others to say. */
export function named(id: string): string {
  if (typeof id === 'string') return id;
  throw new Fault('input_invalid', `an id is a text, not a ${typeof id}`);
}

/** A packet has no other name than the address of what it shows. */
export function packetNamed(packetHash: string): Address {
  const hash = named(packetHash);
  if (hash.startsWith('sha256:')) return hash as Address;
  throw new Fault(
    'input_invalid',
    'a packet is asked for by its packetHash, sha256:…, which pending lists beside the gate',
  );
}

/** Reads what a stranger handed in. A getter or a proxy that breaks while it is looked at is not data. */
export function plainly<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (Fault.is(error)) throw error;
    throw new Fault('input_invalid', 'what was handed in cannot be read as plain data', { cause: error });
  }
}
