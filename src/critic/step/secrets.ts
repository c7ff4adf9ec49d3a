import { isJsonList, type Json } from '../../model/json.ts';
import { pointerToken } from '../../model/pointer.ts';
import type { Detector } from './safety.ts';

/** Credentials that say by their form what they are: a rule that guesses would stop honest runs. */
const FORMS: readonly (readonly [string, RegExp])[] = [
  ['a private key', /-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----/],
  ['an access key of a cloud account', /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/],
  ['a token of a code host', /\b(?:gh[opsur]_[A-Za-z0-9]{36}|github_pat_[A-Za-z0-9_]{60,}|glpat-[A-Za-z0-9_-]{20,})/],
  ['a token of a package registry', /\bnpm_[A-Za-z0-9]{36}\b/],
  ['a token of a chat service', /\bxox[abeoprs]-[A-Za-z0-9-]{20,}/],
  ['a key of a payment service', /\b[rs]k_live_[A-Za-z0-9]{20,}/],
  ['a key of a model provider', /\bsk-(?:ant-|proj-)[A-Za-z0-9_-]{20,}/],
  ['a password in an address', /\b[a-z][a-z0-9+.-]*:\/\/[^\s:@/]+:[^\s:@/]+@/],
];

/** Every form has one of these in it; most texts have none, and are looked at once instead of once for each form. */
const PERHAPS = /[-_]|:\/\/|A[KS]IA/;

/** Recognises credentials in what a step sent or brought back. It says where and of what kind, never which. */
export const secretDetector: Detector = Object.freeze<Detector>({
  name: 'secrets',
  version: '1',
  detect: ({ args, output }) => {
    const found = secretIn(args, '/args') ?? (output === null ? null : secretIn(output, '/output'));
    return found === null ? null : { severity: 'high', detail: found };
  },
});

function secretIn(value: Json, path: string): string | null {
  if (typeof value === 'string') {
    if (!PERHAPS.test(value)) return null;
    const form = FORMS.find(([, pattern]) => pattern.test(value));
    return form === undefined ? null : `${form[0]} at ${path}`;
  }
  if (typeof value !== 'object' || value === null) return null;
  const children = isJsonList(value) ? value.entries() : Object.entries(value);
  for (const [key, child] of children) {
    const found = secretIn(child, path + pointerToken(String(key)));
    if (found !== null) return found;
  }
  return null;
}
