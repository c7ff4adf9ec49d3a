import { createGateway } from '../../gateway/gateway.ts';
import { BREAKER_LIMITS } from '../../gateway/limits/breakers.ts';
import {
  type CompileSchema,
  compile,
  type Derived,
  GUARDS,
  type RunState,
  STANDARD_GRAPH_NAMES,
  STANDARD_GRAPHS,
  type TurnEnv,
} from '../../kernel/index.ts';
import type { EffectOf } from '../../model/events/effect.ts';
import type { LocalEffect, LocalKind } from '../../model/events/effect-kinds.ts';
import type { Frame } from '../../model/events/frame.ts';
import { Fault } from '../../model/fault/fault.ts';
import { guardInput } from '../../model/fault/guard-input.ts';
import type { TerminalCode } from '../../model/fault/terminal-code.ts';
import type { Hash } from '../../model/json/hash.ts';
import type { JsonObject } from '../../model/json/json.ts';
import type { WorkspaceFiles } from '../../ports/workspace-files.ts';
import { localPerformers, type RunPins, type RunPorts } from '../../session/perform/effects.ts';
import { agenda } from './agenda.ts';
import { type Auditor, auditor, type LawViolation } from './auditor.ts';
import { type Approval, RUN_LAWS, type Witness } from './laws/law.ts';
import { EVENT_LAWS } from './laws/laws.ts';
import { type Prng, prng } from './prng.ts';
import { probeFinishedRun } from './probe.ts';
import { play } from './run.ts';
import { randomScenario, type Scenario, type SharedParts } from './scenario.ts';
import type { Simulation } from './simulation.ts';
import { sameState, simulatedStore } from './store.ts';
import { peopleWorld } from './world/people-world.ts';
import { plannerWorld } from './world/planner-world.ts';
import { toolWorld } from './world/tool-world.ts';

/** Dependencies that the simulator's layer must not import itself. */
export interface SimulatorParts {
  readonly hash: Hash;
  readonly compileSchema: CompileSchema;
  readonly replay: (pinned: Pick<TurnEnv, 'env' | 'critic'>, frames: readonly Frame[]) => { readonly state: RunState };
}

/** The result of one seed. */
export interface SimulatedRun {
  readonly seed: number;
  readonly graph: string;
  readonly code: TerminalCode | null;
  readonly reason: string;
  readonly events: number;
  readonly frames: number;
  readonly lives: number;
  readonly dispatches: number;
  /** Null if every law held. */
  readonly violation: LawViolation | null;
}

/** The journal of one seed and its pins. */
export interface SimulatedJournal {
  readonly pinned: Pick<TurnEnv, 'env' | 'critic'>;
  readonly frames: readonly Frame[];
}

export interface Simulator {
  /** Runs one seed and checks every law. `tell` receives the log lines of the run. */
  run(seed: number, tell?: (line: string) => void): SimulatedRun;
  journal(seed: number): SimulatedJournal;
}

/** Every so many seeds, all values passed to the kernel are frozen. */
const FREEZE_EVERY = 50;
/** Every so many seeds, the run is repeated and must give the same bytes. */
const REPEAT_EVERY = 10;
const silent = (): void => undefined;

export const simulator: (parts: SimulatorParts) => Simulator = guardInput(
  'simulator',
  (parts: SimulatorParts): Simulator => {
    const workshop: SharedParts = {
      hash: parts.hash,
      compileSchema: remembered(parts.compileSchema),
      graphs: STANDARD_GRAPH_NAMES.map((name) => [name, compile(STANDARD_GRAPHS[name], GUARDS, parts.hash)]),
    };
    return {
      run: (seed, tell = silent) => {
        const first = playOnce(workshop, seed, tell);
        const { auditor: judge } = first;
        if (judge.violation === null) checkRun(parts, workshop, first);
        return report(first);
      },
      journal: (seed) => {
        const { scenario, store } = playOnce(workshop, seed, silent);
        return { pinned: { env: scenario.pins.env, critic: scenario.critic }, frames: store.frames() };
      },
    };
  },
);

function checkRun(parts: SimulatorParts, workshop: SharedParts, sim: Simulation): void {
  const { auditor: judge, scenario, store } = sim;
  judge.end();
  probeFinishedRun(sim);
  if (scenario.seed % REPEAT_EVERY === 0) {
    const again = playOnce(workshop, scenario.seed, silent);
    // The hash of the last frame covers all frames before it.
    if (again.store.frames().at(-1)?.hash !== store.frames().at(-1)?.hash) {
      judge.accuse(RUN_LAWS.determinism, 'the same seed wrote other frames the second time');
    }
  }
  try {
    const { env } = scenario.pins;
    const { state } = parts.replay({ env, critic: scenario.critic }, store.frames());
    if (!sameState(state, judge.state)) judge.accuse(RUN_LAWS.replay, 'replay ends in another state');
  } catch (error) {
    judge.accuse(RUN_LAWS.replay, String(error));
  }
}

function playOnce(workshop: SharedParts, seed: number, tell: (line: string) => void): Simulation {
  const dice = prng(seed);
  const scenario = randomScenario(workshop, seed, dice);
  const sim = begin(scenario, dice, tell);
  play(sim);
  return sim;
}

function begin(scenario: Scenario, dice: Prng, tell: (line: string) => void): Simulation {
  const { pins, faultRates: temper, seed } = scenario;
  const { env, registry, plannerTimeouts } = pins;
  const specs = new Map(registry.tools.map((tool) => [tool.name, tool]));
  const store = simulatedStore(env.hash, `run_${seed}`, pins.agent.name);
  const tools = toolWorld(dice, specs, temper.toolFault);
  const approvals: Approval[] = [];
  const witness: Witness = { scenario, approvals, tools: tools.ledger, blobs: store.disk.blobs, frames: store.frames };
  const freeze = seed % FREEZE_EVERY === 0;
  const judge: Auditor = auditor(
    env,
    EVENT_LAWS.map((lawOf) => lawOf(witness)),
    freeze,
  );
  return {
    scenario,
    prng: dice,
    turnEnv: { env, critic: scenario.critic, local: localAnswers(dice, pins, temper.meddling) },
    agenda: agenda(),
    store,
    auditor: judge,
    tools,
    planner: plannerWorld(dice, {
      env,
      tools: registry.tools,
      lie: temper.plannerLie,
      timeoutMs: plannerTimeouts.usualMs,
    }),
    people: peopleWorld(dice, temper.peopleFault),
    approvals,
    freeze,
    log: tell,
    now: scenario.startsAt,
    clockOffset: 0,
    life: null,
    lives: 0,
    replacedProcesses: new Map(),
    staleTurns: [],
    meddled: 0,
  };
}

function remembered(compileSchema: CompileSchema): CompileSchema {
  const known = new WeakMap<JsonObject, ReturnType<CompileSchema>>();
  return (schema) => {
    const check = known.get(schema) ?? compileSchema(schema);
    known.set(schema, check);
    return check;
  };
}

function report({ scenario, auditor: judge, store, lives, tools }: Simulation): SimulatedRun {
  const terminal = judge.state.ending.terminal;
  return {
    seed: scenario.seed,
    graph: scenario.graph,
    code: terminal?.code ?? null,
    reason: terminal?.reason ?? '',
    events: judge.events,
    frames: store.frames().length,
    lives,
    dispatches: tools.ledger.dispatches.length,
    violation: judge.violation,
  };
}

/**
 * Answers local effects with the production performers. Sometimes one throws, and sometimes a model makes unobserved
 * claims in the final answer.
 */
function localAnswers(prng: Prng, pins: RunPins, fault: number): (state: RunState, effect: LocalEffect) => Derived {
  const gateway = createGateway({ ...NO_TOOLS_BEHIND, hash: pins.env.hash });
  const ports = { gateway, policy: { check: () => ({ cleared: !prng.chance(fault / 20), rule: null }) } };
  // Local effects use no other port.
  const performers = localPerformers(pins, ports as unknown as RunPorts);
  return (state, effect) => {
    if (prng.chance(fault / 50)) throw new Fault('dependency_unavailable', `${effect.kind} is out of order`);
    if (effect.kind === 'compile_response' && prng.chance(fault / 2)) return lie(prng);
    const perform = performers[effect.kind] as (state: RunState, effect: EffectOf<LocalKind>) => Derived;
    return perform(state, effect);
  };
}

/** The simulated world has no files. */
const NO_FILES: WorkspaceFiles = {
  realPath: () => null,
  home: () => null,
  isFolder: () => false,
  isSpecial: () => false,
  text: () => null,
  digest: () => null,
  hasOtherNames: () => false,
  within: unreachable,
};

/** The simulated world answers calls; the gateway only authorizes them. */
const NO_TOOLS_BEHIND = {
  tools: { problems: () => [], call: unreachable },
  infrastructure: { permits: () => ({ ok: true }) as const },
  files: NO_FILES,
  breakers: BREAKER_LIMITS,
  clock: { nowMs: unreachable },
  timer: { until: unreachable },
};

function unreachable(): never {
  throw new Fault('internal', 'a simulated call went out through the door');
}

function lie(prng: Prng): Derived {
  const observation = prng.pick(['ev_0', 'ev_999', 'trust me']);
  const claims = [{ statement: 'The errand was run.', observation }];
  return { event: { type: 'response_compiled', claims, text: 'The errand was run.' }, blobs: [] };
}
