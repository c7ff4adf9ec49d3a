import { createPrivateKey, createPublicKey, generateKeyPairSync, sign, verify } from 'node:crypto';
import { Fault } from '../../model/fault/fault.ts';
import type { KeyPair, Signatures } from '../../ports/keys.ts';

export const ed25519: Signatures = {
  verify: (publicKey, text, signature) => {
    try {
      const key = createPublicKey({ key: Buffer.from(publicKey, 'base64'), format: 'der', type: 'spki' });
      if (key.asymmetricKeyType !== 'ed25519') return false;
      return verify(null, Buffer.from(text, 'utf8'), key, Buffer.from(signature, 'base64'));
    } catch {
      return false;
    }
  },
};

export function newKeyPair(): KeyPair {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  return {
    publicKey: publicKey.export({ format: 'der', type: 'spki' }).toString('base64'),
    privateKey: privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64'),
  };
}

export function signText(privateKey: string, text: string): string {
  try {
    const key = createPrivateKey({ key: Buffer.from(privateKey, 'base64'), format: 'der', type: 'pkcs8' });
    return sign(null, Buffer.from(text, 'utf8'), key).toString('base64');
  } catch (error) {
    throw new Fault('input_invalid', 'this is no private key in PKCS #8, base64', { cause: error });
  }
}
