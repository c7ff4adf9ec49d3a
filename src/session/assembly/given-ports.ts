import type { Fault } from '../../model/fault.ts';
import { can, type Given, isRecord, wrong } from './given-values.ts';

/** What stands at a place: what it has to be able to do, what it has to say of itself, and how somebody comes by one. */
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
  'list',
  'gates',
  'effects',
  'effect',
];

const PORTS: readonly Port[] = [
  { path: '/world/clock', methods: ['nowMs'], fix: 'such as { nowMs: () => Date.now() }; leave it out for that' },
  {
    path: '/world/timer',
    methods: ['until'],
    fix: 'such as simulatedClock(0) of ambit/testing; leave it out elsewhere',
  },
  { path: '/world/ids', methods: ['next'], fix: "such as { next: (prefix) => prefix + '_' + randomUUID() }" },
  {
    path: '/world/models',
    methods: ['connect', 'priceOf', 'countTokens'],
    fix: 'leave it out for the models known here',
  },
  { path: '/world/infrastructure', methods: ['permits'], fix: 'such as { permits: () => ({ ok: true }) }' },
  {
    path: '/world/files',
    methods: ['realPath', 'isFolder', 'text', 'digest'],
    fix: 'leave it out for those of the machine',
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

/** What is no object. */
const PLAIN: Readonly<Record<string, readonly [type: 'string' | 'function', words: string]>> = {
  '/store': ['string', "a text: 'memory', or 'sqlite:' and a file"],
  '/world/services/log': ['function', 'a function, such as (line) => console.log(line)'],
  '/world/policy/approvers/operatorRole': ['string', "a text: the name of a role, such as 'operator'"],
};

/** What holds several things by name. */
const GROUPS: Readonly<Record<string, string>> = {
  '/limits': 'such as { gateTtlMs: 3_600_000 }',
  '/world/services': 'such as { credentials, log }',
  '/world/memory': "such as { store: memoryStores.inFile('memory.db'), keep: { … } }",
  '/world/policy/quota': 'such as { tool_calls_max: 20 }',
  '/world/policy/gates': "such as { GATE_FINANCE_APPROVAL: { roles: ['finance'] } }",
  '/world/policy/approvers': 'such as { keys, authenticator }',
};

/**
 * Whatever a runtime is to ask, before it asks anything: a part that cannot answer would show as a failure of the
 * program, and some of them only when the first run needs them.
 */
export function portFaults(options: Given): readonly Fault[] {
  const groups = Object.entries(GROUPS).flatMap(([path, fix]) => {
    const given = at(options, path);
    return given === undefined || isRecord(given) ? [] : [wrong(path, `${nameOf(path)} is an object, ${fix}`)];
  });
  const plain = Object.entries(PLAIN).flatMap(([path, [type, words]]) => {
    const given = at(options, path);
    return given === undefined || typeof given === type ? [] : [wrong(path, `${nameOf(path)} is ${words}`)];
  });
  const ports = PORTS.flatMap((port) => ofPort(port, at(options, port.path)));
  return [...groups, ...plain, ...ports, ...ofDetectors(options)];
}

function ofPort({ path, methods, texts = [], fix }: Port, given: unknown): readonly Fault[] {
  if (given === undefined || (can(given, methods) && texts.every((name) => isText(given, name)))) return [];
  const has = [...methods.map((name) => `${name}()`), ...texts];
  return [wrong(path, `${nameOf(path)} is an object with ${has.join(', ')}: ${fix}`)];
}

function ofDetectors(options: Given): readonly Fault[] {
  const path = '/world/policy/detectors';
  const detectors = at(options, path);
  if (detectors === undefined) return [];
  if (!Array.isArray(detectors)) return [wrong(path, 'detectors is a list of { name, version, detect() }')];
  return detectors.flatMap((detector: unknown, place) =>
    can(detector, ['detect']) ? [] : [wrong(`${path}/${place}`, 'a detector is { name, version, detect() }')],
  );
}

/** What is not there, and what is inside of something else than an object, is not looked at here. */
function at(options: Given, path: string): unknown {
  return path
    .split('/')
    .slice(1)
    .reduce<unknown>((place, key) => (isRecord(place) ? place[key] : undefined), options);
}

const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

const isText = (part: object, name: string): boolean => typeof Reflect.get(part, name) === 'string';
