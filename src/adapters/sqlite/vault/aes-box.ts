import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { Fault } from '../../../model/fault/fault.ts';

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

export const KEY_BYTES = 32;

/** Encrypts with AES-256-GCM. `about` is authenticated too, so a box opens in its own place only. */
export function encrypt(key: Uint8Array, plain: Uint8Array, about: string): Uint8Array {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(about));
  return Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
}

/** Decrypts a box. `holds` names its content in the fault. */
export function decrypt(key: Uint8Array, box: Uint8Array, about: string, holds: string): Buffer {
  try {
    const end = box.length - TAG_BYTES;
    const decipher = createDecipheriv('aes-256-gcm', key, box.subarray(0, NONCE_BYTES))
      .setAAD(Buffer.from(about))
      .setAuthTag(box.subarray(end));
    return Buffer.concat([decipher.update(box.subarray(NONCE_BYTES, end)), decipher.final()]);
  } catch (error) {
    throw new Fault('store_corrupt', `${holds} does not open: the vault was altered, restore it from a backup`, {
      cause: error,
    });
  }
}
