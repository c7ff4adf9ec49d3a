import { readFile, rename, writeFile } from 'node:fs/promises';
import { z } from 'zod';
import { Fault } from '../../model/fault/fault.ts';
import { SigningKey } from '../../model/gate/signing-key.ts';
import { parse } from '../../model/json/parse.ts';
import { isKeyListed, type KeyStore, keyExists, keyNotFound } from '../../ports/keys.ts';

const KeyFile: z.ZodType<readonly SigningKey[]> = z.array(SigningKey);

/**
 * A key store in a file that only its owner can read. Writes replace the file atomically. Every query reads the file
 * again, so that a revocation by another process takes effect here.
 */
export function fileKeys(path: string): KeyStore {
  let tail: Promise<unknown> = Promise.resolve();
  const change = (edit: (keys: readonly SigningKey[]) => readonly SigningKey[]): Promise<void> => {
    const done = tail.then(async () => write(path, edit(await read(path))));
    tail = done.catch(() => undefined);
    return done;
  };
  return {
    add: (key) =>
      change((keys) => {
        if (keys.some(({ key_id }) => key_id === key.key_id)) throw keyExists(key.key_id);
        return [...keys, key];
      }),
    find: async (keyId) => (await read(path)).find(({ key_id }) => key_id === keyId) ?? null,
    list: async (filter = {}) => (await read(path)).filter((key) => isKeyListed(key, filter)),
    revoke: (keyId, revoked) =>
      change((keys) => {
        if (!keys.some(({ key_id }) => key_id === keyId)) throw keyNotFound(keyId);
        return keys.map((key) => (key.key_id === keyId && key.revoked === null ? { ...key, revoked } : key));
      }),
  };
}

async function read(path: string): Promise<readonly SigningKey[]> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '[]';
    throw new Fault('store_unavailable', `the keys in ${path} cannot be read`, { cause: error });
  });
  try {
    return parse(KeyFile, JSON.parse(text), 'input_invalid');
  } catch (error) {
    throw new Fault('input_invalid', `${path} is no file of keys`, { cause: error });
  }
}

async function write(path: string, keys: readonly SigningKey[]): Promise<void> {
  const draft = `${path}.${process.pid}.tmp`;
  try {
    await writeFile(draft, `${JSON.stringify(keys, null, 2)}\n`, { mode: 0o600, flush: true });
    await rename(draft, path);
  } catch (error) {
    throw new Fault('store_unavailable', `the keys in ${path} cannot be written`, { cause: error });
  }
}
