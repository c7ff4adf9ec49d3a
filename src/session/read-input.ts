import { Fault } from '../model/fault/fault.ts';
import type { Address } from '../model/json/hash.ts';
import { takeJson } from '../model/json/take-json.ts';

/** Copies an input to plain data once, before it is validated. */
export function copyInput<T extends object>(input: T): T {
  if (input === undefined) throw new Fault('input_invalid', 'an argument is missing: pass an object');
  return takeJson(input) as unknown as T;
}

/** Checks that an id is a string; the lookup decides whether it exists. */
export function requireId(id: string): string {
  if (typeof id === 'string') return id;
  throw new Fault('input_invalid', `an id must be a string, not ${typeof id}`);
}

/** Checks an optional signal. Without one, nothing is aborted. */
export function readSignal(signal: AbortSignal | undefined, name = 'signal'): AbortSignal {
  if (signal === undefined) return new AbortController().signal;
  if (readUntrusted(() => signal instanceof AbortSignal)) return signal;
  throw new Fault('input_invalid', `${name} must be an AbortSignal`, { path: `/${name}` });
}

/** Checks a packet hash, the only id of a packet, such as `sha256:9f86…`. */
export function requirePacketHash(packetHash: string): Address {
  const hash = requireId(packetHash);
  if (hash.startsWith('sha256:')) return hash as Address;
  throw new Fault(
    'input_invalid',
    'a packet is identified by its packetHash, sha256:…: take it from the gate in outcome.pending',
  );
}

/** Reads untrusted input. A getter or a proxy that throws makes it invalid. */
export function readUntrusted<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (Fault.is(error)) throw error;
    throw new Fault('input_invalid', 'the input cannot be read as plain data', { cause: error });
  }
}
