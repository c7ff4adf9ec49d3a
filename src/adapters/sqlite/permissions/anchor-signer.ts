import { createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import { Fault } from '../../../model/fault/fault.ts';
import type { KeyPair } from '../../../ports/keys.ts';

/** Signs with the anchor key of a store. Parses the key once, because every frame is signed. */
export interface AnchorSigner {
  readonly publicKey: string;
  sign(text: string): string;
}

export function anchorSigner({ publicKey, privateKey }: KeyPair): AnchorSigner {
  const key = privateKeyOf(privateKey);
  return { publicKey, sign: (text) => sign(null, Buffer.from(text, 'utf8'), key).toString('base64') };
}

function privateKeyOf(privateKey: string): KeyObject {
  try {
    return createPrivateKey({ key: Buffer.from(privateKey, 'base64'), format: 'der', type: 'pkcs8' });
  } catch (error) {
    throw new Fault('input_invalid', 'anchorKey: privateKey is no private key in PKCS #8, base64', { cause: error });
  }
}

/** Verifies signatures of one public key. */
export type VerifySignature = (text: string, signature: string) => boolean;

/** Returns a function that accepts nothing if the key is malformed. */
export function verifierOf(publicKey: string): VerifySignature {
  const key = publicKeyOf(publicKey);
  if (key === null) return () => false;
  return (text, signature) => {
    try {
      return verify(null, Buffer.from(text, 'utf8'), key, Buffer.from(signature, 'base64'));
    } catch {
      return false;
    }
  };
}

function publicKeyOf(publicKey: string): KeyObject | null {
  try {
    return createPublicKey({ key: Buffer.from(publicKey, 'base64'), format: 'der', type: 'spki' });
  } catch {
    return null;
  }
}
