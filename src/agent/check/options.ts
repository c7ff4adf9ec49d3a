import { Fault } from '../../model/fault/fault.ts';
import { pointerToken } from '../../model/json/pointer.ts';
import { printable } from '../../model/json/printable.ts';
import { unknownNames } from '../../model/text/nearest.ts';
import { timeFault } from '../../ports/model/model-roles.ts';
import { optionAt, portFaults } from './ports.ts';
import { hasMethods, isRecord, throwFaults, type UncheckedObject, wrong } from './values.ts';

/**
 * The newest language features that the code uses. The types declare them; this table checks that the engine has them.
 */
const REQUIRED_FEATURES: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ['Map.groupBy', Reflect.get(Map, 'groupBy')],
  ['Promise.withResolvers', Reflect.get(Promise, 'withResolvers')],
]);

/** Reports an engine that is too old. A run would otherwise fail halfway with a message that names no fix. */
export function engineFaults(features: ReadonlyMap<string, unknown> = REQUIRED_FEATURES): readonly Fault[] {
  const missing = [...features].filter(([, value]) => typeof value !== 'function').map(([name]) => name);
  if (missing.length === 0) return [];
  const message = `this JavaScript engine is too old (it has no ${missing.join(', ')}): Ambit needs Node.js 24.15 or newer: install it, for example with npm install --save-dev node@24`;
  return [new Fault('input_invalid', message)];
}

const OPTIONS: readonly string[] = [
  'agent',
  'tools',
  'planner',
  'decisions',
  'graph',
  'guards',
  'store',
  'limits',
  'world',
];
const WORLD: readonly string[] = [
  'clock',
  'timer',
  'ids',
  'reviewer',
  'classifier',
  'judges',
  'drafter',
  'composer',
  'answerJudge',
  'models',
  'infrastructure',
  'files',
  'services',
  'policy',
  'context',
  'memory',
  'journal',
  'plannerTimeouts',
  'vault',
  'metrics',
];

const POLICY: readonly string[] = [
  'goals',
  'plans',
  'calls',
  'candidate',
  'quota',
  'prices',
  'detectors',
  'evaluators',
  'rubric',
  'gates',
  'approvers',
];

/** The groups of `world` with a closed list of options. */
const GROUPS: Readonly<Record<string, readonly string[]>> = {
  '/world': WORLD,
  '/world/policy': POLICY,
  '/world/policy/approvers': ['keys', 'authenticator', 'operatorRole'],
  '/world/policy/evaluators': ['step', 'run'],
  '/world/services': ['credentials', 'log'],
  '/world/memory': ['store', 'keep'],
  '/world/plannerTimeouts': ['usualMs', 'byTaskClass'],
};

/**
 * Checks the options of a runtime before any of them is used: required options are present, and their parts have the
 * methods that the runtime calls. Returns the faults of unknown options and of broken parts of the world, for the caller
 * to report with later ones. Throws if no agent can be read.
 */
export function assertOptions(options: unknown): readonly Fault[] {
  if (!isRecord(options)) {
    throw new Fault('input_missing', "ambit() needs an options object: ambit({ agent, store: 'sqlite:ambit.db' })");
  }
  const unknown = [
    ...checkKeys(options, OPTIONS, ''),
    ...Object.entries(GROUPS).flatMap(([path, known]) => checkKeys(optionAt(options, path), known, path)),
  ];
  const broken = [...engineFaults(), ...checkWorld(options['world']), ...portFaults(options)];
  const parts = checkParts(options);
  if (parts.length > 0) throwFaults([...unknown, ...broken, ...parts]);
  return [...unknown, ...broken];
}

/** The options that are checked against each other, and those that have parts with faults of their own. */
const COMPARED = ['world', 'world/policy', 'limits', 'world/policy/gates'];
const COMPARED_PARTS = ['world/judges', 'world/policy/detectors', 'world/policy/evaluators', 'guards'];

/** The options without those that are broken, so that a broken one hides no other mistake. */
export function withoutBroken<T extends object>(options: T, faults: readonly Fault[]): T {
  const paths = faults.flatMap(({ path }) => path ?? []);
  const isBroken = (place: string): boolean => paths.includes(`/${place}`);
  const hasBrokenPart = (place: string): boolean =>
    isBroken(place) || paths.some((path) => path.startsWith(`/${place}/`));
  const broken = [...COMPARED.filter(isBroken), ...COMPARED_PARTS.filter(hasBrokenPart)];
  return broken.reduce<T>((kept, place) => without(kept, place.split('/')), options);
}

function without<T extends object>(options: T, [key = '', ...rest]: readonly string[]): T {
  const value: unknown = Reflect.get(options, key);
  if (rest.length > 0) return isRecord(value) ? { ...options, [key]: without(value, rest) } : options;
  const { [key]: _, ...kept } = options as Record<string, unknown>;
  return kept as T;
}

function checkWorld(world: unknown): readonly Fault[] {
  if (world === undefined) return [];
  if (!isRecord(world)) return [new Fault('input_invalid', 'world must be an object', { path: '/world' })];
  const { policy } = world;
  const isPolicy = policy === undefined || isRecord(policy);
  return [
    ...(isPolicy ? [] : [new Fault('input_invalid', 'world.policy must be an object', { path: '/world/policy' })]),
    ...partFaults(world),
  ];
}

/** Checks the parts that agent() makes. Without an agent, its tools and its planner are missing for the same reason. */
function checkParts({ agent, tools, planner, decisions }: UncheckedObject): readonly Fault[] {
  const message = 'agent is missing: pass an agent made with agent()';
  const missing = new Fault('input_missing', message, { path: '/agent' });
  if (agent === undefined && tools === undefined && planner === undefined) return [missing];
  return [
    ...(agent === undefined ? [missing] : []),
    ...checkTools(tools),
    ...checkPlanner(planner),
    ...checkDecisions(decisions),
  ];
}

function checkTools(tools: unknown): readonly Fault[] {
  if (Array.isArray(tools)) return tools.flatMap(checkTool);
  const message = 'tools is missing: a run needs a tool registry: pass a list of tools made with tool()';
  return [new Fault('input_missing', message, { path: '/tools' })];
}

function checkTool(tool: unknown, place: number): readonly Fault[] {
  if (!isRecord(tool) || !isRecord(tool['spec'])) {
    return [
      new Fault('input_invalid', `tools[${place}] is not { spec, execute }: make it with tool()`, {
        path: `/tools/${place}`,
      }),
    ];
  }
  if (typeof tool['execute'] === 'function') return [];
  const name = printable(JSON.stringify(tool['spec']['name']) ?? String(place));
  const message = `tool ${name} has no execute(): add the function that performs the call`;
  return [new Fault('input_invalid', message, { path: `/tools/${place}/execute` })];
}

function checkPlanner(planner: unknown): readonly Fault[] {
  if (isRecord(planner) && typeof planner['propose'] === 'function') return [];
  const message = 'planner is missing or has no propose(): pass a planner, such as templatePlanner(templates)';
  return [new Fault('input_missing', message, { path: '/planner' })];
}

function checkDecisions(decisions: unknown): readonly Fault[] {
  if (decisions === undefined || Array.isArray(decisions)) return [];
  return [new Fault('input_invalid', 'decisions must be a list; omit it if there are none', { path: '/decisions' })];
}

function checkKeys(options: unknown, known: readonly string[], path: string): readonly Fault[] {
  const unknown = isRecord(options) ? unknownNames(options, known) : null;
  return unknown === null ? [] : [wrong(path + pointerToken(unknown.first), unknown.message)];
}

/** The model roles of `world`: the methods each must have, and an example that creates one. */
const MODEL_ROLES: readonly (readonly [part: string, methods: readonly string[], maker: string])[] = [
  ['reviewer', ['reflect', 'compress'], 'modelReviewer({ model })'],
  ['classifier', ['classify'], 'modelClassifier({ model })'],
  ['drafter', ['draft'], 'modelDrafter({ model })'],
  ['composer', ['compose'], 'modelComposer({ model })'],
  ['answerJudge', ['judge'], 'modelAnswerJudge({ model })'],
];

/**
 * Checks the model roles, the timeouts and the context of `world`. A bare model instead of a role, or a folder name
 * instead of a pack, would otherwise fail only during a run.
 */
function partFaults(world: UncheckedObject): readonly Fault[] {
  return [
    ...MODEL_ROLES.flatMap(([part, methods, maker]) => {
      const value = world[part];
      // Every role but the reviewer is optional.
      if (value === undefined || (value === null && part !== 'reviewer')) return [];
      if (hasMethods(value, methods)) return checkTime(`/world/${part}`, value);
      return [wrong(`/world/${part}`, `${part} must have ${methods.join('() and ')}(): use one such as ${maker}`)];
    }),
    ...checkJudges(world['judges']),
    ...checkTimeouts(world['plannerTimeouts']),
    ...checkContext(world['context']),
  ];
}

function checkJudges(judges: unknown): readonly Fault[] {
  if (judges === undefined) return [];
  if (!Array.isArray(judges)) return [wrong('/world/judges', 'judges must be a list, such as [modelJudge({ … })]')];
  return judges.flatMap((judge: unknown, place) =>
    isRecord(judge) && isRecord(judge['spec']) && hasMethods(judge, ['ask'])
      ? checkTime(`/world/judges/${place}`, judge)
      : [wrong(`/world/judges/${place}`, 'this is not a judge: use one such as modelJudge({ … })')],
  );
}

/** Checks the time limit that a custom model role declares. */
function checkTime(path: string, part: object): readonly Fault[] {
  const fault = timeFault(path, path, part);
  return fault === null ? [] : [fault];
}

function checkTimeouts(timeouts: unknown): readonly Fault[] {
  if (timeouts === undefined) return [];
  if (isRecord(timeouts) && typeof timeouts['usualMs'] === 'number' && isRecord(timeouts['byTaskClass'])) return [];
  return [
    wrong(
      '/world/plannerTimeouts',
      'plannerTimeouts must be { usualMs, byTaskClass }, such as { usualMs: 20_000, byTaskClass: {} }',
    ),
  ];
}

function checkContext(context: unknown): readonly Fault[] {
  if (context === undefined || context === null) return [];
  const fix = "pass { pack: contextPack('packs/…') }, or a compiled context";
  if (!isRecord(context)) return [wrong('/world/context', `context must be an object: ${fix}`)];
  return 'pin' in context && !('pack' in context) ? [wrong('/world/context', `context is a bare pack: ${fix}`)] : [];
}
