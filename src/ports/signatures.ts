/** Checks a signature. Anything that is no key or no signature is simply not one: it never throws. */
export interface Signatures {
  verify(publicKey: string, text: string, signature: string): boolean;
}
