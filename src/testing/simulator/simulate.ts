import { compile } from '../../kernel/graph/compile.ts';
import { STANDARD_GRAPH_NAMES, STANDARD_GRAPHS } from '../../kernel/graph/standard-graphs.ts';
import { GUARDS } from '../../kernel/guards.ts';
import type { RunState } from '../../kernel/state.ts';
import type { TurnEnv } from '../../kernel/turn.ts';
import type { CompileSchema } from '../../kernel/verify/tool-table.ts';
import type { Frame } from '../../model/frame.ts';
import type { Hash } from '../../model/hash.ts';
import type { JsonObject } from '../../model/json.ts';
import type { TerminalCode } from '../../model/terminal-code.ts';
import { agenda } from './agenda.ts';
import { type Auditor, auditor, type Violation } from './auditor.ts';
import { sameState } from './fold.ts';
import type { Approval, Witness } from './laws/law.ts';
import { EVENT_LAWS } from './laws/laws.ts';
import { RUN_LAWS } from './laws/run-laws.ts';
import { type Prng, prng } from './prng.ts';
import { probeTheDead } from './probe.ts';
import { play } from './run.ts';
import { randomScenario, type Scenario, type Workshop } from './scenario.ts';
import type { Simulation } from './simulation.ts';
import { simulatedStore } from './store.ts';
import { peopleWorld } from './world/people-world.ts';
import { plannerWorld } from './world/planner-world.ts';
import { rooms } from './world/rooms.ts';
import { toolWorld } from './world/tool-world.ts';

/** What the simulator cannot make for itself, because it stands behind a door that is not its own. */
export interface SimulatorParts {
  readonly hash: Hash;
  readonly compileSchema: CompileSchema;
  readonly replay: (pinned: Pick<TurnEnv, 'env' | 'critic'>, frames: readonly Frame[]) => { readonly state: RunState };
}

/** How one seed went. */
export interface SimulatedRun {
  readonly seed: number;
  readonly graph: string;
  readonly code: TerminalCode | null;
  readonly reason: string;
  readonly events: number;
  readonly frames: number;
  readonly lives: number;
  readonly dispatches: number;
  /** Null when every law held. */
  readonly violation: Violation | null;
}

/** What one seed wrote down, and what it was pinned to. */
export interface SimulatedJournal {
  readonly pinned: Pick<TurnEnv, 'env' | 'critic'>;
  readonly frames: readonly Frame[];
}

export interface Simulator {
  /** Runs one seed and holds it to every law. `tell` hears the story as it goes on. */
  run(seed: number, tell?: (line: string) => void): SimulatedRun;
  /** Runs one seed for the sake of its journal. */
  journal(seed: number): SimulatedJournal;
}

/** Every so many seeds, all that the kernel is given is frozen. */
const FREEZE_EVERY = 50;
/** Every so many seeds, the whole run is made again and must come out byte for byte the same. */
const REPEAT_EVERY = 10;
const silent = (): void => undefined;

export function simulator(parts: SimulatorParts): Simulator {
  const workshop: Workshop = {
    hash: parts.hash,
    compileSchema: remembered(parts.compileSchema),
    graphs: STANDARD_GRAPH_NAMES.map((name) => [name, compile(STANDARD_GRAPHS[name], GUARDS, parts.hash)]),
  };
  return {
    run: (seed, tell = silent) => {
      const first = playOnce(workshop, seed, tell);
      const { auditor: judge } = first;
      if (judge.violation === null) holdWholeRun(parts, workshop, first);
      return report(first);
    },
    journal: (seed) => {
      const { scenario, store } = playOnce(workshop, seed, silent);
      return { pinned: { env: scenario.pins.env, critic: scenario.critic }, frames: store.frames() };
    },
  };
}

function holdWholeRun(parts: SimulatorParts, workshop: Workshop, sim: Simulation): void {
  const { auditor: judge, scenario, store } = sim;
  judge.end();
  probeTheDead(sim);
  if (scenario.seed % REPEAT_EVERY === 0) {
    const again = playOnce(workshop, scenario.seed, silent);
    // The last frame's hash covers every frame before it.
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

function playOnce(workshop: Workshop, seed: number, tell: (line: string) => void): Simulation {
  const dice = prng(seed);
  const scenario = randomScenario(workshop, seed, dice);
  const sim = begin(scenario, dice, tell);
  play(sim);
  return sim;
}

function begin(scenario: Scenario, dice: Prng, tell: (line: string) => void): Simulation {
  const { pins, temper, seed } = scenario;
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
    turnEnv: { env, critic: scenario.critic, local: rooms(dice, pins, temper.meddling) },
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
    tell,
    now: scenario.startsAt,
    clockOffset: 0,
    life: null,
    lives: 0,
    undead: new Map(),
    ghosts: [],
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
