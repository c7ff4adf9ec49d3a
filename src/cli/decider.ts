import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import {
  type ApproverCredential,
  type DecisionStatement,
  type ForkStatement,
  type InfoStatement,
  keyTools,
  type RunStatement,
  signDecision,
  signInfo,
  signingText,
  signRunDecision,
} from '../approvals.ts';
import { type AmbitConfig, Fault } from '../index.ts';
import { type Call, type Flags, readListFlag, readTextFlag } from './command.ts';

/** The person who decides. Each method returns their credential for one kind of statement. */
export interface Decider {
  /** For display. A token does not reveal the name of its holder. */
  readonly name: string;
  /** The key that signs; null for a decider without one. */
  readonly keyId: string | null;
  signGate(statement: Unsigned<DecisionStatement>): ApproverCredential;
  signInfo(statement: Unsigned<InfoStatement>): ApproverCredential;
  signRun(decision: RunDecision): ApproverCredential;
  signFork(statement: Unsigned<ForkStatement>): ApproverCredential;
  /** Signs a text that contains the key id and the time of the signature. */
  signText(text: (signed: SignatureFields) => string): ApproverCredential;
}

interface SignatureFields {
  readonly key_id: string;
  readonly signed_at: number;
}

type Unsigned<S> = Omit<S, 'key_id' | 'signed_at'>;

/** A decision about a run. `content` holds the fields of its event. */
interface RunDecision extends Omit<Unsigned<RunStatement>, 'said'> {
  readonly content: RunStatement['said'];
}

/** Finds the decider: options first, then the environment, then the config. Returns null if none is named. */
export function findDecider(flags: Flags, { operator }: AmbitConfig): Decider | null {
  const typed = ['as', 'key', 'token'].filter((name) => readTextFlag(flags, name) !== null);
  if (typed.length > 1)
    throw new Fault('input_invalid', `use only one of ${typed.map((name) => `--${name}`).join(', ')}`);
  const { AMBIT_AS, AMBIT_KEY, AMBIT_TOKEN } = process.env;
  const key = readTextFlag(flags, 'key');
  const token = readTextFlag(flags, 'token');
  const name = readTextFlag(flags, 'as');
  if (key !== null) return createKeyDecider(key);
  if (token !== null) return createTokenDecider(token);
  if (name !== null) return createLocalDecider(name, readListFlag(flags, 'role'));
  if (AMBIT_KEY !== undefined) return createKeyDecider(AMBIT_KEY);
  if (AMBIT_TOKEN !== undefined) return createTokenDecider(AMBIT_TOKEN);
  if (AMBIT_AS !== undefined) return createLocalDecider(AMBIT_AS, readListFlag(flags, 'role'));
  return operator === undefined ? null : createLocalDecider(operator.name, operator.roles ?? []);
}

export function requireDecider(flags: Flags, config: AmbitConfig): Decider {
  const decider = findDecider(flags, config);
  if (decider !== null) return decider;
  throw new Fault('approver_missing', 'this command needs a decider: add --as <name>, --key <file> or --token <token>');
}

export function createLocalDecider(name: string, roles: readonly string[]): Decider {
  const credential: ApproverCredential = { kind: 'local_operator', name, ...(roles.length === 0 ? {} : { roles }) };
  return createFixedDecider(name, credential);
}

/** Returns the same credential for every statement. */
function createFixedDecider(name: string, credential: ApproverCredential): Decider {
  const show = (): ApproverCredential => credential;
  return { name, keyId: null, signGate: show, signInfo: show, signRun: show, signFork: show, signText: show };
}

function createTokenDecider(token: string): Decider {
  const credential: ApproverCredential = { kind: 'operator_token', token };
  return createFixedDecider('the token holder', credential);
}

/** The content of a key file, as `ambit keys new` writes it. */
export interface KeyFile {
  readonly key_id: string;
  readonly approver: string;
  /** PKCS #8 in base64. */
  readonly private_key: string;
}

function createKeyDecider(path: string): Decider {
  const { key_id, approver, private_key } = readKeyFile(path);
  const sign = (text: string): string => keyTools.sign(private_key, text);
  const now = (): SignatureFields => ({ key_id, signed_at: Date.now() });
  const signText: Decider['signText'] = (text) => {
    const signed = now();
    return { kind: 'signing_key', keyId: key_id, signedAt: signed.signed_at, signature: sign(text(signed)) };
  };
  return {
    name: approver,
    keyId: key_id,
    signGate: (statement) => signDecision({ ...statement, ...now() }, sign),
    signInfo: (statement) => signInfo({ ...statement, ...now() }, sign),
    signRun: ({ content, ...statement }) => signRunDecision({ ...statement, said: content, ...now() }, sign),
    signFork: (statement) => signText((signed) => signingText.fork({ ...statement, ...signed })),
    signText,
  };
}

export function readKeyFile(path: string): KeyFile {
  const file = resolve(path);
  const key = parseKeyFile(file, readPrivateFile(file));
  const { key_id, approver, private_key } = key;
  if ([key_id, approver, private_key].every((field) => typeof field === 'string' && field !== ''))
    return key as KeyFile;
  throw new Fault(
    'input_invalid',
    `${file} is not a key file: expected { key_id, approver, private_key }, as ambit keys new writes it`,
  );
}

function parseKeyFile(file: string, text: string): Partial<KeyFile> {
  try {
    return Object(JSON.parse(text)) as Partial<KeyFile>;
  } catch (error) {
    throw new Fault('input_invalid', `${file} is not a key file: it is not JSON`, { cause: error });
  }
}

/** Reads a file that only its owner may read. Other users must not be able to copy a private key. */
function readPrivateFile(file: string): string {
  try {
    const others = statSync(file).mode & 0o077;
    if (others !== 0 && process.platform !== 'win32') {
      throw new Fault('permission_denied', `other users can read ${file}: chmod 600 ${file}`);
    }
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (Fault.is(error)) throw error;
    throw new Fault('input_invalid', `cannot read ${file}: ${(error as Error).message}`, { cause: error });
  }
}

/** Returns the text of a mandatory option. `name` is the camelCase name, such as `approver` for `--approver`. */
export function requireTextFlag({ flags }: Call, name: string): string {
  const value = readTextFlag(flags, name);
  if (value === null) throw new Fault('input_invalid', `--${name} is required`);
  return value;
}

/** Returns the reason of a decision, which is recorded with it. */
export function requireReason({ flags }: Call): string {
  const reason = readTextFlag(flags, 'reason');
  if (reason === null) throw new Fault('input_invalid', 'a reason is required for the record: --reason "…"');
  return reason;
}
