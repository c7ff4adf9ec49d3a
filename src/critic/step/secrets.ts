import { guardInput } from '../../model/fault/guard-input.ts';
import { isJsonList, type Json } from '../../model/json/json.ts';
import { pointerToken } from '../../model/json/pointer.ts';
import type { Detection, Detector } from './safety.ts';

/** Credentials with a recognisable format. Guessing would stop harmless runs. */
const FORMS: readonly (readonly [string, RegExp])[] = [
  ['a private key', /-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----/],
  ['an access key of a cloud account', /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/],
  ['a token of a code host', /\b(?:gh[opsur]_[A-Za-z0-9]{36}|github_pat_[A-Za-z0-9_]{60,}|glpat-[A-Za-z0-9_-]{20,})/],
  ['a token of a package registry', /\bnpm_[A-Za-z0-9]{36}\b/],
  ['a token of a chat service', /\bxox[abeoprs]-[A-Za-z0-9-]{20,}/],
  ['a key of a payment service', /\b[rs]k_live_[A-Za-z0-9]{20,}/],
  ['a key of a model provider', /\bsk-(?:ant-|proj-)[A-Za-z0-9_-]{20,}/],
  ['a password in an address', /(?<=\b[a-z][a-z0-9+.-]*):\/\/[^\s:@/]+:[^\s:@/]+@/],
];

/** Pre-filter: every format contains one of these and most texts contain none, so most texts are matched once. */
const PERHAPS = /(?<=[a-z-])-|(?<=[a-z])_|:\/\/|A[KS]IA/;

/** Detects credentials in a step's arguments or output. The detection names kind and path, never the secret. */
export const secretDetector: Detector = Object.freeze<Detector>({
  name: 'secrets',
  version: '1',
  detect: guardInput('detect', ({ args, output }) => {
    const sent = secretIn(args);
    if (sent !== null) return detection(sent, '/args');
    const brought = output === null ? null : secretIn(output);
    return brought === null ? null : detection(brought, '/output');
  }),
});

/** The kind of a credential and its path in the value. */
interface Secret {
  readonly form: string;
  readonly path: string;
}

const detection = ({ form, path }: Secret, within: string): Detection => ({
  severity: 'high',
  detail: `${form} at ${within}${path}`,
});

/** The path is built only after a secret is found. */
function secretIn(value: Json): Secret | null {
  if (typeof value === 'string') return secretText(value);
  if (typeof value !== 'object' || value === null) return null;
  if (isJsonList(value)) {
    for (const [at, item] of value.entries()) {
      const found = secretIn(item);
      if (found !== null) return below(String(at), found);
    }
    return null;
  }
  for (const key in value) {
    const found = secretIn(value[key] ?? null);
    if (found !== null) return below(key, found);
  }
  return null;
}

const below = (key: string, { form, path }: Secret): Secret => ({ form, path: pointerToken(key) + path });

function secretText(text: string): Secret | null {
  if (!PERHAPS.test(text)) return null;
  for (const [form, pattern] of FORMS) if (pattern.test(text)) return { form, path: '' };
  return null;
}
