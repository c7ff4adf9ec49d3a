import { NO_RULES } from '../../agent/world.ts';
import { rubricFor } from '../../critic/judges/judge-specs.ts';
import {
  type CompileSchema,
  compile,
  explainMissingGuard,
  foldFrame,
  GUARDS,
  initialState,
  type KernelEnv,
  missingGuards,
  type RunState,
  STANDARD_GRAPHS,
  type Turn,
  toolTable,
} from '../../kernel/index.ts';
import { DEFAULT_LIMITS } from '../../model/budget/kernel-limits.ts';
import type { EffectOf } from '../../model/events/effect.ts';
import { isOutside } from '../../model/events/effect-kinds.ts';
import type { RunEvent } from '../../model/events/event.ts';
import type { Frame } from '../../model/events/frame.ts';
import { frameEvents } from '../../model/events/frame-events.ts';
import { type Address, address, type Hash } from '../../model/json/hash.ts';
import { parse } from '../../model/json/parse.ts';
import { RecordedPins } from '../../model/record/bundle.ts';
import type { Projections, SessionRow } from '../../ports/journal/rows.ts';
import type { NotRebuilt, RebuildRows, RebuildSources, RebuiltRows } from '../../ports/store/store-tools.ts';
import { keptByEvents } from '../../record/bundle.ts';
import { project, settledResult } from '../../session/projections.ts';
import { envFromTexts, initializedIn } from '../../session/recorded-env.ts';
import { recordedRules } from '../../session/recorded-rules.ts';

interface RebuildDeps {
  readonly hash: Hash;
  /** Compiles the schemas of recorded tools. */
  readonly schemas: () => CompileSchema;
  /** The shipped guards, and those of the host. */
  readonly guards: NonNullable<KernelEnv['guards']>;
}

/** The columns that depend on the agent and its rules, which a run records when it has been initialized. */
const BY_RULES: readonly (keyof SessionRow)[] = ['agent', 'intent', 'status', 'node', 'wake_at', 'last_seen'];

/** Derives the rows of a session again by folding its frames with the rules and tools that it recorded. */
export function rowRebuilder(deps: RebuildDeps): RebuildRows {
  // Most runs of a store share their rules and tools, whose schemas are expensive to compile.
  const known = new Map<string, KernelEnv>();
  return (frames, sources) => {
    const events = frames.flatMap(frameEvents);
    const begun = initializedIn(events);
    if (events[0]?.type !== 'goal_received' || (begun !== undefined && begun.decided_by === undefined))
      return UNKNOWN_RULES;
    const name = JSON.stringify([begun?.decided_by, begun?.manifest, events.filter(isMigration)]);
    const env = known.get(name) ?? envOf(deps, events, sources);
    if ('why' in env) return env;
    known.set(name, env);
    return rebuild(env, frames, { agent: begun?.manifest.agent, sources });
  };
}

const UNKNOWN_RULES: NotRebuilt = Object.freeze({
  why: 'its frames do not record by which rules it ran, so its rows cannot be derived again',
});

const isMigration = ({ type }: RunEvent): boolean => type === 'run_migrated';

/** The environment that folds these events. Policies, detectors and judges are code that folding does not call. */
function envOf(
  { hash, schemas, guards }: RebuildDeps,
  events: readonly RunEvent[],
  { textAt }: RebuildSources,
): KernelEnv | NotRebuilt {
  const begun = initializedIn(events);
  const schema = schemas();
  const shared = {
    tools: toolTable([], new Set(), schema),
    catalog: new Map(),
    policy: NO_RULES.plans,
    detectors: [],
    hash,
  };
  if (begun?.decided_by === undefined) {
    const graph = compile(STANDARD_GRAPHS.plan_first, GUARDS, hash);
    return { ...shared, graph, rubric: rubricFor('low'), gates: new Map(), limits: DEFAULT_LIMITS };
  }
  const recorded = parse(RecordedPins, JSON.parse(textAt(begun.decided_by)), 'store_corrupt');
  const { graph, rubric, judges, specialist } = recorded;
  // The guards of a host are code that no store holds.
  const [missing] = missingGuards(graph, guards);
  if (missing !== undefined) return { why: `${explainMissingGuard(missing, guards)}: pass it in guards` };
  const env: KernelEnv = {
    ...shared,
    guards,
    graph: compile(graph, guards, hash),
    rubric,
    specialist,
    ...(judges.length === 0 ? {} : { judges }),
    ...recordedRules(recorded, 'store_corrupt'),
  };
  return envFromTexts(env, schema, events, (version) => textAt(version as Address));
}

function rebuild(
  env: KernelEnv,
  frames: readonly Frame[],
  { agent, sources }: { readonly agent: string | undefined; readonly sources: RebuildSources },
): RebuiltRows {
  const copied = copiedFrames(frames);
  const rows: Projections[] = [];
  let state = initialState(env);
  for (const [place, frame] of frames.entries()) {
    const before = state;
    const turn = turnOf(env, before, frame);
    state = turn.state;
    const settled = settledResult(before, turn, env.hash);
    const all = project(before, turn, frame, { agent: agent ?? '', settled });
    rows.push(place < copied ? copiedRows(all) : sources.isImported ? importedRows(all, frame.session) : all);
  }
  const texts = new Map<Address, 'surely' | 'perhaps'>();
  keptByEvents(frames.flatMap(frameEvents), texts);
  return {
    session: sessionRow(rows),
    gates: rows.flatMap(({ gates }) => gates),
    effects: rows.flatMap(({ effects }) => effects),
    grants: rows.flatMap(({ grants }) => grants),
    standing: rows.flatMap(({ standing = [] }) => standing),
    checkpoints: rows.flatMap(({ checkpoints }) => checkpoints),
    unverified: agent === undefined ? BY_RULES : [],
    texts: [...texts].flatMap(([at, kept]) => (kept === 'surely' ? [at] : [])),
  };
}

function turnOf(env: KernelEnv, before: RunState, frame: Frame): Turn {
  const { state, events, effects } = foldFrame(env, before, frame);
  const checkpoints = effects
    .filter((effect): effect is EffectOf<'save_checkpoint'> => effect.kind === 'save_checkpoint')
    .map(({ checkpoint_id, payload }) => ({ checkpointId: checkpoint_id, address: address(env.hash, payload) }));
  return { state, events, blobs: [], checkpoints, outbox: effects.filter(isOutside) };
}

/** The number of frames that a fork copied from its parent: those before its own fork event. */
function copiedFrames(frames: readonly Frame[]): number {
  const [first] = frames;
  const goal = first === undefined ? undefined : frameEvents(first).find(({ type }) => type === 'goal_received');
  if (first === undefined || (goal?.type === 'goal_received' && goal.run_id === first.session)) return 0;
  const forked = frames.findLastIndex(({ events }) => events.startsWith('[{"type":"run_forked"'));
  return forked < 0 ? frames.length : forked;
}

/** A fork pauses until its fork event is recorded, and continues no thread. */
const copiedRows = ({ session, ...rest }: Projections): Projections => ({
  ...rest,
  ...NOTHING,
  session: { ...session, status: 'paused', wake_at: null, thread: null, thread_user: null },
});

/** An imported run waits for no one and calls nothing. */
const importedRows = ({ session, checkpoints, ...rest }: Projections, session_id: string): Projections => ({
  ...rest,
  ...NOTHING,
  session: { ...session, wake_at: null, thread: null, thread_user: null },
  checkpoints: checkpoints.filter((row) => row.session_id === session_id),
});

const NOTHING = { gates: [], effects: [], grants: [], standing: [], checkpoints: [] } as const;

/** The last row, with the columns that the first append wrote for good. */
function sessionRow(rows: readonly Projections[]): SessionRow {
  const [first, last] = [rows[0]?.session, rows.at(-1)?.session];
  if (first === undefined || last === undefined) throw new RangeError('a session without frames');
  const { tenant_id, started_at, thread, thread_user, mode } = first;
  return { ...last, tenant_id, started_at, thread, thread_user, mode };
}
