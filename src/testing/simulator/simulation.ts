import type { RunState } from '../../kernel/state.ts';
import type { Turn, TurnEnv } from '../../kernel/turn.ts';
import type { Place } from '../../session/journal-writer.ts';
import type { Agenda, Delivery } from './agenda.ts';
import type { Auditor } from './auditor.ts';
import type { Approval } from './laws/law.ts';
import type { Prng } from './prng.ts';
import type { Scenario } from './scenario.ts';
import type { Store } from './store.ts';
import type { PeopleWorld } from './world/people-world.ts';
import type { PlannerWorld } from './world/planner-world.ts';
import type { ToolWorld } from './world/tool-world.ts';

/** A process that drives the run: what it remembers, and where it believes the journal ends. */
export interface Life {
  readonly id: number;
  readonly writer: string;
  state: RunState;
  place: Place;
}

/** A turn that a process had taken when everybody thought it dead, and may still try to write. */
export interface Ghost {
  readonly life: Life;
  readonly delivery: Delivery;
  readonly turn: Turn;
}

/** One run in its world. What changes as it goes on is here and nowhere else. */
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
  /** Everything handed to the kernel is frozen first, so that it cannot change what is not its own. */
  readonly freeze: boolean;
  readonly tell: (line: string) => void;
  /** The world's own time, which never goes back. */
  now: number;
  /** How far the clock of the machine is off. */
  clockOffset: number;
  /** The process that drives the run now. */
  life: Life | null;
  lives: number;
  /** Processes that were replaced and do not know it. */
  readonly undead: Map<number, Life>;
  readonly ghosts: Ghost[];
  meddled: number;
}
