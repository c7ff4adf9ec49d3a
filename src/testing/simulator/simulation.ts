import type { RunState, Turn, TurnEnv } from '../../kernel/index.ts';
import type { JournalPlace } from '../../session/journal-writer.ts';
import type { Agenda, Delivery } from './agenda.ts';
import type { Auditor } from './auditor.ts';
import type { Approval } from './laws/law.ts';
import type { Prng } from './prng.ts';
import type { Scenario } from './scenario.ts';
import type { Store } from './store.ts';
import type { PeopleWorld } from './world/people-world.ts';
import type { PlannerWorld } from './world/planner-world.ts';
import type { ToolWorld } from './world/tool-world.ts';

/** A process that drives the run: its state, and its view of the journal's end. */
export interface SimulatedProcess {
  readonly id: number;
  readonly writer: string;
  state: RunState;
  place: JournalPlace;
}

/** A turn of a replaced process that it may still try to write. */
export interface StaleTurn {
  readonly life: SimulatedProcess;
  readonly delivery: Delivery;
  readonly turn: Turn;
}

/** One run in its world, including all mutable state of the simulation. */
export interface Simulation {
  readonly scenario: Scenario;
  readonly prng: Prng;
  readonly turnEnv: TurnEnv;
  readonly agenda: Agenda;
  readonly store: Store;
  readonly auditor: Auditor;
  readonly tools: ToolWorld;
  readonly planner: PlannerWorld;
  readonly people: PeopleWorld;
  readonly approvals: Approval[];
  /** Freezes all values passed to the kernel, to detect mutation. */
  readonly freeze: boolean;
  readonly log: (line: string) => void;
  /** The world's time, which never goes back. */
  now: number;
  clockOffset: number;
  /** The process that currently drives the run. */
  life: SimulatedProcess | null;
  lives: number;
  readonly replacedProcesses: Map<number, SimulatedProcess>;
  readonly staleTurns: StaleTurn[];
  meddled: number;
}
