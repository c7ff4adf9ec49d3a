import { whyNotOwnGuard } from '../../kernel/index.ts';
import type { Fault } from '../../model/fault/fault.ts';
import { pointerToken } from '../../model/json/pointer.ts';
import { printable } from '../../model/json/printable.ts';
import { hasMethods, isRecord, type UncheckedObject, wrong } from './values.ts';

/**
 * An interface that a host may implement: its path in the options, its methods and text properties, and how to get one.
 */
interface Port {
  readonly path: string;
  readonly methods: readonly string[];
  readonly texts?: readonly string[];
  readonly fix: string;
}

const JOURNAL = [
  'append',
  'load',
  'first',
  'blob',
  'latestCheckpoint',
  'checkpoint',
  'texts',
  'list',
  'gates',
  'effects',
  'effect',
];

const PORTS: readonly Port[] = [
  { path: '/world/clock', methods: ['nowMs'], fix: 'such as { nowMs: () => Date.now() }, which is the default' },
  {
    path: '/world/timer',
    methods: ['until'],
    fix: 'such as simulatedClock(0) of ambit/testing in tests; omit it otherwise',
  },
  { path: '/world/ids', methods: ['next'], fix: "such as { next: (prefix) => prefix + '_' + randomUUID() }" },
  {
    path: '/world/models',
    methods: ['connect', 'priceOf', 'countTokens'],
    fix: 'omit it to use the built-in models',
  },
  { path: '/world/infrastructure', methods: ['permits'], fix: 'such as { permits: () => ({ ok: true }) }' },
  {
    path: '/world/files',
    methods: ['realPath', 'isFolder', 'text', 'digest', 'hasOtherNames', 'within'],
    fix: 'omit it to use the file system of this machine',
  },
  { path: '/world/metrics', methods: ['count', 'gauge', 'observe'], fix: 'such as recordedMetrics() of ambit/testing' },
  {
    path: '/world/journal',
    methods: [...JOURNAL, 'standingGrants', 'killSwitches', 'close'],
    fix: "such as openJournal('sqlite:ambit.db')",
  },
  {
    path: '/world/vault',
    methods: ['seal', 'open', 'reveal', 'erase', 'tenants', 'close'],
    fix: "such as vaults.inFile('vault.db')",
  },
  { path: '/world/services/credentials', methods: ['get'], fix: 'such as { get: async (request) => … }' },
  { path: '/world/policy/goals', methods: ['check'], fix: 'such as { check: () => ({ cleared: true, rule: null }) }' },
  {
    path: '/world/policy/plans',
    methods: ['invariants'],
    texts: ['version'],
    fix: "such as { version: 'rules@1', invariants: () => [] }",
  },
  { path: '/world/policy/calls', methods: ['decide'], texts: ['version'], fix: 'such as cedarAuthorizer(policies)' },
  {
    path: '/world/policy/candidate',
    methods: ['decide'],
    texts: ['version'],
    fix: 'such as cedarAuthorizer(policies)',
  },
  {
    path: '/world/policy/approvers/keys',
    methods: ['add', 'find', 'list', 'revoke'],
    fix: "such as keyTools.inFile('keys.json')",
  },
  {
    path: '/world/policy/approvers/authenticator',
    methods: ['identify'],
    fix: 'such as { identify: async (credential, tenantId) => … }',
  },
];

/** Options that are not objects. */
const PLAIN: Readonly<Record<string, readonly [type: 'string' | 'function', words: string]>> = {
  '/store': ['string', "a string: 'memory', or 'sqlite:<file>'"],
  '/world/services/log': ['function', 'a function, such as (line) => console.log(line)'],
  '/world/policy/approvers/operatorRole': ['string', "a string: the name of a role, such as 'operator'"],
};

/** Options that hold several values by name. */
const GROUPS: Readonly<Record<string, string>> = {
  '/limits': 'such as { gateTtlMs: 3_600_000 }',
  '/world/services': 'such as { credentials, log }',
  '/world/memory': "such as { store: memoryStores.inFile('memory.db'), keep: { … } }",
  '/world/policy/evaluators': 'such as { step: [{ name, version, assess() }] }',
  '/world/policy/quota': 'such as { tool_calls_max: 20 }',
  '/world/policy/gates': "such as { GATE_FINANCE_APPROVAL: { roles: ['finance'] } }",
  '/world/policy/approvers': 'such as { keys, authenticator }',
};

/**
 * Checks every interface that a host implements before the runtime uses it. An incomplete one would otherwise fail as a
 * programming error, some of them only during the first run.
 */
export function portFaults(options: UncheckedObject): readonly Fault[] {
  const groups = Object.entries(GROUPS).flatMap(([path, fix]) => {
    const value = optionAt(options, path);
    return value === undefined || isRecord(value) ? [] : [wrong(path, `${nameOf(path)} must be an object, ${fix}`)];
  });
  const plain = Object.entries(PLAIN).flatMap(([path, [type, words]]) => {
    const value = optionAt(options, path);
    return value === undefined || typeof value === type ? [] : [wrong(path, `${nameOf(path)} must be ${words}`)];
  });
  const ports = PORTS.flatMap((port) => checkPort(port, optionAt(options, port.path)));
  const lists = [...checkDetectors(options), ...checkEvaluators(options, 'step'), ...checkEvaluators(options, 'run')];
  return [...groups, ...plain, ...ports, ...lists, ...checkGuards(options)];
}

function checkPort({ path, methods, texts = [], fix }: Port, value: unknown): readonly Fault[] {
  if (value === undefined || (hasMethods(value, methods) && texts.every((name) => isText(value, name)))) return [];
  const has = [...methods.map((name) => `${name}()`), ...texts];
  return [wrong(path, `${nameOf(path)} must be an object with ${has.join(', ')}: ${fix}`)];
}

function checkEvaluators(options: UncheckedObject, kind: 'step' | 'run'): readonly Fault[] {
  const path = `/world/policy/evaluators/${kind}`;
  const evaluators = optionAt(options, path);
  if (evaluators === undefined) return [];
  if (!Array.isArray(evaluators)) return [wrong(path, `${kind} must be a list of { name, version, assess() }`)];
  return evaluators.flatMap((evaluator: unknown, place) =>
    hasMethods(evaluator, ['assess']) && ['name', 'version'].every((text) => isText(evaluator, text))
      ? []
      : [wrong(`${path}/${place}`, 'an evaluator must be { name, version, assess() }')],
  );
}

function checkDetectors(options: UncheckedObject): readonly Fault[] {
  const path = '/world/policy/detectors';
  const detectors = optionAt(options, path);
  if (detectors === undefined) return [];
  if (!Array.isArray(detectors)) return [wrong(path, 'detectors must be a list of { name, version, detect() }')];
  return detectors.flatMap((detector: unknown, place) =>
    hasMethods(detector, ['detect'])
      ? []
      : [wrong(`${path}/${place}`, 'a detector must be { name, version, detect() }')],
  );
}

function checkGuards({ guards }: UncheckedObject): readonly Fault[] {
  if (guards === undefined) return [];
  if (!isRecord(guards)) return [wrong('/guards', "guards must be an object, such as { 'refund.is_small@1': … }")];
  return Object.entries(guards).flatMap(([name, guard]) => {
    const why = whyNotOwnGuard(name, guard);
    return why === null ? [] : [wrong(`/guards${pointerToken(name)}`, `guard ${printable(name)}: ${why}`)];
  });
}

/** Reads the option at a path. Returns undefined if it is missing or inside a value that is not an object. */
export function optionAt(options: UncheckedObject, path: string): unknown {
  return path
    .split('/')
    .slice(1)
    .reduce<unknown>((place, key) => (isRecord(place) ? place[key] : undefined), options);
}

const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

const isText = (part: object, name: string): boolean => typeof Reflect.get(part, name) === 'string';
