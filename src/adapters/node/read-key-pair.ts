import { createPrivateKey, createPublicKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { Fault } from '../../model/fault/fault.ts';
import type { KeyPair } from '../../ports/keys.ts';

/** Reads the key pair of a key file, as `ambit keys new` writes it. */
export function readKeyPair(path: string): KeyPair {
  const file = resolve(path);
  try {
    const { private_key: privateKey } = JSON.parse(readFileSync(file, 'utf8')) as { readonly private_key: string };
    const key = createPrivateKey({ key: Buffer.from(privateKey, 'base64'), format: 'der', type: 'pkcs8' });
    return { publicKey: createPublicKey(key).export({ format: 'der', type: 'spki' }).toString('base64'), privateKey };
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    const message = `anchor_key=${path}: is not a key file (${why}): create one with ambit keys new`;
    throw new Fault('input_invalid', message, { path: '/store', cause });
  }
}
