import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { DetailedError, PolicyJson, ValidationError } from '@cedar-policy/cedar-wasm/nodejs';
import { Fault } from '../../model/fault/fault.ts';
import { guardInput } from '../../model/fault/guard-input.ts';
import { Name } from '../../model/json/name.ts';
import { printable, reasonOf } from '../../model/json/printable.ts';
import { assertBounded } from './assert-bounded.ts';
import { type CedarEngine, readWithEngine } from './reading-engine.ts';

/** One file of policies. `file` is its name in fault messages. */
export interface PolicySource {
  readonly file: string;
  readonly text: string;
}

/** The same path from `src` and from the build, because both are three folders below the package. */
const SHIPPED = fileURLToPath(new URL('../../../policies/', import.meta.url));

/** The policies that ship with this package: the five risk profiles and the general rules. */
export function shippedPolicies(): readonly PolicySource[] {
  return policyFiles(SHIPPED);
}

/** Reads all `*.cedar` files of a folder, sorted by name. */
export const policyFiles: (folder: string) => readonly PolicySource[] = guardInput(
  'policyFiles',
  (folder: string): readonly PolicySource[] => {
    const names = reading(folder, () => readdirSync(folder)).filter((name) => name.endsWith('.cedar'));
    if (names.length === 0) throw new Fault('policy_invalid', `${folder} holds no .cedar file`);
    return names.toSorted().map((name) => policyFile(join(folder, name)));
  },
);

export const policyFile: (path: string) => PolicySource = guardInput('policyFile', (path: string): PolicySource => {
  return { file: basename(path), text: reading(path, () => readFileSync(path, 'utf8')) };
});

/** The schema that every policy is validated against. */
export function shippedSchema(): string {
  return policyFile(join(SHIPPED, 'schema.cedarschema')).text;
}

function reading<T>(path: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw new Fault('policy_invalid', `${path} cannot be read: ${reasonOf(error)}`, { cause: error });
  }
}

/** A parsed policy with its location and annotations. */
export interface ReadPolicy {
  readonly id: string;
  readonly text: string;
  readonly json: PolicyJson;
  readonly file: string;
  /** Its first line, counted from 1. */
  readonly line: number;
  readonly effect: 'permit' | 'forbid';
  readonly reason: string | null;
  readonly gates: readonly string[];
}

/** Parses and validates policies. Reports all problems at once, each with its file, policy and line. */
export function readPolicies(sources: readonly PolicySource[], schema: string): ReadonlyMap<string, ReadPolicy> {
  for (const { file, text } of sources) assertBounded(file, text);
  try {
    return readWithEngine((engine) => parsePolicies(engine, sources, schema));
  } catch (error) {
    if (Fault.is(error)) throw error;
    const files = sources.map(({ file }) => printable(String(file))).join(', ');
    throw new Fault('policy_invalid', `the policy engine cannot read ${files}: ${reasonOf(error)}`, { cause: error });
  }
}

function parsePolicies(
  engine: CedarEngine,
  sources: readonly PolicySource[],
  schema: string,
): ReadonlyMap<string, ReadPolicy> {
  const wrong = sources.flatMap((source) => syntaxErrors(engine, source));
  if (wrong.length > 0) throw new Fault('policy_invalid', wrong.join('\n'));
  const policies = sources.flatMap((source) => policiesIn(engine, source));
  const byId = new Map(policies.map((policy) => [policy.id, policy]));
  const faults = [
    ...policies
      .filter((policy) => byId.get(policy.id) !== policy)
      .map((policy) => describeProblem(policy, 'there is another policy of this id')),
    ...policies.flatMap(annotationErrors),
    ...schemaErrors(engine, byId, schema),
  ];
  if (faults.length > 0) throw new Fault('policy_invalid', faults.join('\n'));
  return byId;
}

function syntaxErrors(engine: CedarEngine, { file, text }: PolicySource): readonly string[] {
  if (typeof text !== 'string') return [`${printable(String(file))}: the policies are not a text`];
  const answer = engine.checkParsePolicySet({ staticPolicies: text });
  if (answer.type === 'success') return [];
  return answer.errors.map((error) => {
    const at = offsetOf(error);
    const id = Array.from(text.slice(0, charsIn(text, at)).matchAll(/@id\("([^"]*)"\)/g)).at(-1)?.[1];
    return `${file}:${lineAt(text, at)}${id === undefined ? '' : ` ${id}`}: ${messageOf(error)}`;
  });
}

function policiesIn(engine: CedarEngine, { file, text }: PolicySource): readonly ReadPolicy[] {
  const parts = engine.policySetTextToParts(text);
  if (parts.type === 'failure') throw new Fault('policy_invalid', `${file}: ${parts.errors.map(messageOf).join('; ')}`);
  let from = 0;
  let line = 1;
  return inWrittenOrder(parts.policies).map((policy) => {
    const at = text.indexOf(policy, from);
    line += linesIn(text.slice(from, at));
    const read = readPolicy(engine, { file, text: policy }, line);
    line += linesIn(policy);
    from = at + policy.length;
    return read;
  });
}

const linesIn = (text: string): number => text.split('\n').length - 1;

/** Restores the written order. The engine numbers policies as written but lists them by text order: 1, 10, 2. */
function inWrittenOrder(listed: readonly string[]): readonly string[] {
  const numbers = listed.map((_, number) => number).sort((a, b) => (String(a) < String(b) ? -1 : 1));
  const written: string[] = [];
  for (const [place, number] of numbers.entries()) written[number] = listed[place] ?? '';
  return written;
}

function readPolicy(engine: CedarEngine, { file, text }: PolicySource, line: number): ReadPolicy {
  const answer = engine.policyToJson(text);
  if (answer.type === 'failure')
    throw new Fault('policy_invalid', `${file}:${line}: ${answer.errors.map(messageOf).join('; ')}`);
  const { effect, annotations = {} } = answer.json;
  const { id = '', reason = null, gate = '' } = annotations;
  const gates = gate.split(/[\s,]+/).filter((name) => name !== '');
  return { id, text, json: answer.json, file, line, effect, reason, gates };
}

function annotationErrors(policy: ReadPolicy): readonly string[] {
  const errors: string[] = [];
  if (!Name.safeParse(policy.id).success) errors.push('needs an @id("…") that decisions can be recorded under');
  if (policy.effect === 'forbid' && policy.gates.length > 0)
    errors.push('a forbid opens no gate: @gate belongs on a permit');
  for (const gate of policy.gates) {
    if (!Name.safeParse(gate).success) errors.push(`"${gate}" is no name of a gate`);
  }
  return errors.map((error) => describeProblem(policy, error));
}

/** Warnings count as errors too: a policy that can never apply is a mistake. */
function schemaErrors(engine: CedarEngine, byId: ReadonlyMap<string, ReadPolicy>, schema: string): readonly string[] {
  const staticPolicies = Object.fromEntries(Array.from(byId, ([id, { text }]) => [id, text]));
  const answer = engine.validate({ schema, policies: { staticPolicies } });
  if (answer.type === 'failure') return answer.errors.map((error) => `schema: ${messageOf(error)}`);
  return [...answer.validationErrors, ...answer.validationWarnings].map(({ policyId, error }: ValidationError) => {
    const policy = byId.get(policyId);
    return policy === undefined
      ? messageOf(error)
      : describeProblem(policy, messageOf(error), lineAt(policy.text, offsetOf(error)) - 1);
  });
}

const describeProblem = ({ file, line, id }: ReadPolicy, what: string, below = 0): string =>
  `${file}:${line + below}${id === '' ? '' : ` ${id}`}: ${what}`;

const messageOf = ({ message, help }: DetailedError): string => (help === null ? message : `${message} (${help})`);

const offsetOf = ({ sourceLocations }: DetailedError): number => sourceLocations?.[0]?.start ?? 0;

/** Converts an offset of the engine, which counts bytes. */
const charsIn = (text: string, bytes: number): number => Buffer.from(text).subarray(0, bytes).toString().length;

const lineAt = (text: string, bytes: number): number => linesIn(text.slice(0, charsIn(text, bytes))) + 1;

/** Returns a property of a policy's JSON expression, whose only key is the operator. */
export const part = (node: unknown, name: string): unknown =>
  typeof node === 'object' && node !== null && Object.hasOwn(node, name) ? Reflect.get(node, name) : undefined;

/**
 * Returns the path of a context expression: `context.arguments.text` is `arguments.text`, `context` is empty. Returns
 * null for any other expression.
 */
export function pathOf(node: unknown): string | null {
  if (part(node, 'Var') === 'context') return '';
  const access = part(node, '.') ?? part(node, 'has');
  const attribute = part(access, 'attr');
  const record = access === undefined ? null : pathOf(part(access, 'left'));
  if (record === null || typeof attribute !== 'string') return null;
  return record === '' ? attribute : `${record}.${attribute}`;
}
