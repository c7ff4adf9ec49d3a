import { createHmac } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { Fault } from '../../../model/fault/fault.ts';
import type { MasterKey, VaultProtection } from '../../../ports/store/vault.ts';
import { decrypt, encrypt, KEY_BYTES } from './aes-box.ts';

/** The environment variable that is read if the host names no other source. */
const USUAL: VaultProtection = { masterKey: { env: 'AMBIT_VAULT_KEY' } };

const HOW = 'make one with "openssl rand -base64 32"';

/**
 * The master key of a vault file, or null if the host accepts a file without one. The key comes from outside the file,
 * because a thief of the file would otherwise have the keys with it.
 */
export function masterKeyOf(file: string, protection: VaultProtection = USUAL): MasterKey | null {
  if (protection.unprotected === true) return null;
  const { masterKey } = protection;
  if (masterKey === undefined) throw noKey(file, 'AMBIT_VAULT_KEY');
  if ('env' in masterKey) {
    const text = process.env[masterKey.env];
    if (text === undefined || text === '') throw noKey(file, masterKey.env);
    return localKey(text, `the environment variable ${masterKey.env}`);
  }
  return 'file' in masterKey ? localKey(readKeyFile(masterKey.file), masterKey.file) : masterKey;
}

function noKey(file: string, name: string): Fault {
  const message = `the vault ${file} needs a master key from outside the file: set ${name} (${HOW}), pass { masterKey: { file } } or the masterKey of a key service, or accept a file that holds its own keys with { unprotected: true }`;
  return new Fault('input_missing', message, { path: '/world/vault' });
}

function readKeyFile(file: string): string {
  try {
    if (process.platform !== 'win32' && (statSync(file).mode & 0o077) !== 0)
      throw new Fault('input_invalid', `the master key ${file} can be read by other users: chmod 600 ${file}`);
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (Fault.is(error)) throw error;
    throw new Fault('input_invalid', `the master key ${file} cannot be read; ${HOW}`, { cause: error });
  }
}

/** A master key in this process: 32 bytes in base64 or hexadecimal. */
function localKey(text: string, source: string): MasterKey {
  const written = text.trim();
  const key = Buffer.from(written, /^[0-9a-f]{64}$/i.test(written) ? 'hex' : 'base64');
  if (key.length !== KEY_BYTES)
    throw new Fault('input_invalid', `${source} is no master key of ${KEY_BYTES} bytes in base64: ${HOW}`);
  return {
    id: `local:${createHmac('sha256', key).update('ambit vault master key').digest('hex').slice(0, 16)}`,
    wrap: async (dataKey, about) => encrypt(key, dataKey, about),
    unwrap: async (wrapped, about) => decrypt(key, wrapped, about, 'a key of the vault'),
  };
}
