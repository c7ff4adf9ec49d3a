import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import {
  type AmbitConfig,
  type ApproverCredential,
  type DecisionStatement,
  Fault,
  type ForkStatement,
  forkText,
  type InfoStatement,
  keyTools,
  type RunStatement,
  signDecision,
  signInfo,
  signRunDecision,
} from '../index.ts';
import { type Flags, listOf, textOf } from './command.ts';

/** Whose word it is, and what shows that it is theirs, for each thing that can be decided. */
export interface Decider {
  /** As far as the command line knows: a token says nothing about whose it is. */
  readonly name: string;
  gate(statement: Unsigned<DecisionStatement>): ApproverCredential;
  info(statement: Unsigned<InfoStatement>): ApproverCredential;
  run(statement: Unsigned<RunStatement>): ApproverCredential;
  fork(statement: Unsigned<ForkStatement>): ApproverCredential;
  /** Over a text of its own kind, which names the key and the time. */
  over(text: (signed: Signed) => string): ApproverCredential;
}

interface Signed {
  readonly key_id: string;
  readonly signed_at: number;
}

type Unsigned<S> = Omit<S, 'key_id' | 'signed_at'>;

/** Who decides here; null where nobody has said. What is typed goes before the environment, and that before the config. */
export function deciderOf(flags: Flags, { operator }: AmbitConfig): Decider | null {
  const typed = ['as', 'key', 'token'].filter((name) => textOf(flags, name) !== null);
  if (typed.length > 1) throw new Fault('input_invalid', `give one of ${typed.map((name) => `--${name}`).join(', ')}`);
  const { AMBIT_AS, AMBIT_KEY, AMBIT_TOKEN } = process.env;
  const key = textOf(flags, 'key');
  const token = textOf(flags, 'token');
  const name = textOf(flags, 'as');
  if (key !== null) return withKey(key);
  if (token !== null) return withToken(token);
  if (name !== null) return byName(name, listOf(flags, 'role'));
  if (AMBIT_KEY !== undefined) return withKey(AMBIT_KEY);
  if (AMBIT_TOKEN !== undefined) return withToken(AMBIT_TOKEN);
  if (AMBIT_AS !== undefined) return byName(AMBIT_AS, listOf(flags, 'role'));
  return operator === undefined ? null : byName(operator.name, operator.roles ?? []);
}

/** The same, where nothing goes on without somebody. */
export function neededDecider(flags: Flags, config: AmbitConfig): Decider {
  const decider = deciderOf(flags, config);
  if (decider !== null) return decider;
  throw new Fault('approver_missing', 'nobody has said who decides: add --as <name>, --key <file> or --token <token>');
}

export function byName(name: string, roles: readonly string[]): Decider {
  const credential: ApproverCredential = { kind: 'local_operator', name, ...(roles.length === 0 ? {} : { roles }) };
  return believed(name, credential);
}

/** The same credential, whatever is decided. */
function believed(name: string, credential: ApproverCredential): Decider {
  const shown = (): ApproverCredential => credential;
  return { name, gate: shown, info: shown, run: shown, fork: shown, over: shown };
}

function withToken(token: string): Decider {
  const credential: ApproverCredential = { kind: 'operator_token', token };
  return believed('the holder of the token', credential);
}

/** A key as `ambit keys new` writes it. */
export interface KeyFile {
  readonly key_id: string;
  readonly approver: string;
  /** PKCS #8 in base64. */
  readonly private_key: string;
}

function withKey(path: string): Decider {
  const { key_id, approver, private_key } = readKey(path);
  const sign = (text: string): string => keyTools.sign(private_key, text);
  const now = (): Signed => ({ key_id, signed_at: Date.now() });
  const over: Decider['over'] = (text) => {
    const signed = now();
    return { kind: 'signing_key', keyId: key_id, signedAt: signed.signed_at, signature: sign(text(signed)) };
  };
  return {
    name: approver,
    gate: (statement) => signDecision({ ...statement, ...now() }, sign),
    info: (statement) => signInfo({ ...statement, ...now() }, sign),
    run: (statement) => signRunDecision({ ...statement, ...now() }, sign),
    fork: (statement) => over((signed) => forkText({ ...statement, ...signed })),
    over,
  };
}

export function readKey(path: string): KeyFile {
  const file = resolve(path);
  const key = parseKey(file, readOwned(file));
  const { key_id, approver, private_key } = key;
  if ([key_id, approver, private_key].every((field) => typeof field === 'string' && field !== ''))
    return key as KeyFile;
  throw new Fault('input_invalid', `${file} is no key: ambit keys new writes { key_id, approver, private_key }`);
}

function parseKey(file: string, text: string): Partial<KeyFile> {
  try {
    return Object(JSON.parse(text)) as Partial<KeyFile>;
  } catch (error) {
    throw new Fault('input_invalid', `${file} is no key: it is not JSON`, { cause: error });
  }
}

/** A key that others on the machine can read is not the person's own any more. */
function readOwned(file: string): string {
  try {
    const others = statSync(file).mode & 0o077;
    if (others !== 0 && process.platform !== 'win32') {
      throw new Fault('permission_denied', `${file} can be read by others than its owner: chmod 600 ${file}`);
    }
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (Fault.is(error)) throw error;
    throw new Fault('input_invalid', `${file} cannot be read: ${(error as Error).message}`, { cause: error });
  }
}
