import { appendFileSync } from 'node:fs';
import type { EventBody } from '../../model/event.ts';
import { Fault } from '../../model/fault.ts';
import type { BoundTool } from '../../ports/bound-tool.ts';
import type { Journal } from '../../ports/journal.ts';

/** What becomes durable, by the name that a crash point has for it. */
const MARKS: Readonly<Partial<Record<EventBody['type'], string>>> = {
  goal_received: 'goal',
  plan_proposed: 'plan',
  gate_opened: 'gate',
  gate_decided: 'gate decision',
  step_attempted: 'intent',
  step_observed: 'observation',
  call_reconciled: 'observation',
  step_judged: 'verdict',
  run_escalated: 'escalation',
  escalation_decided: 'escalation decision',
  run_terminated: 'terminal',
};

/** The places at which a run can lose its process. Several of them can be one instant: one frame holds several things. */
export interface CrashPoints {
  /** Dies before a frame is offered to the store, or as soon as it is durable. */
  journal(journal: Journal): Journal;
  /** Dies when the tool is called and has done nothing yet, or when it has done all and has not answered. */
  tool(tool: BoundTool): BoundTool;
  /** A place of your own, such as the middle of a tool's work. */
  at(...names: readonly string[]): void;
}

/** What a process of a sweep is told about its death. */
export interface CrashOrder {
  /** The instant to die at, counted from 1, or the first one of a name; null: it lives. */
  readonly dieAt: number | string | null;
  /** A file that gets a line for every instant: its names, as a list. */
  readonly trace: string | null;
}

/** The environment variable by which `sweepCrashes` tells its processes when to die. */
export const CRASH_ORDER = 'AMBIT_CRASH';

/** Crash points that kill this process with SIGKILL where the sweep that started it wants it. Outside of one they do nothing. */
export function crashPoints(order: CrashOrder = orderOf(process.env[CRASH_ORDER])): CrashPoints {
  let instant = 0;
  const at = (...names: readonly string[]): void => {
    if (names.length === 0) return;
    instant += 1;
    if (order.trace !== null) appendFileSync(order.trace, `${JSON.stringify(names)}\n`);
    const isDue = typeof order.dieAt === 'string' ? names.includes(order.dieAt) : instant === order.dieAt;
    if (isDue) process.kill(process.pid, 'SIGKILL');
  };
  return {
    at,
    journal: (journal) => ({
      ...journal,
      append: async (append) => {
        const marks = marksIn(append.frame.events);
        at(...marks.map((mark) => `before ${mark}`));
        await journal.append(append);
        at(...marks.map((mark) => `after ${mark}`));
      },
    }),
    tool: (tool) => ({
      ...tool,
      execute: async (args, context) => {
        at(`before ${tool.spec.name}`);
        const answer = await tool.execute(args, context);
        at(`after ${tool.spec.name}`);
        return answer;
      },
    }),
  };
}

function marksIn(events: string): readonly string[] {
  const types = (JSON.parse(events) as readonly EventBody[]).map(({ type }) => type);
  return [...new Set(types.flatMap((type) => MARKS[type] ?? []))];
}

const UNHARMED: CrashOrder = Object.freeze({ dieAt: null, trace: null });

function orderOf(text: string | undefined): CrashOrder {
  if (text === undefined || text === '') return UNHARMED;
  try {
    const { dieAt = null, trace = null } = JSON.parse(text) as Partial<CrashOrder>;
    return { dieAt, trace };
  } catch (cause) {
    throw new Fault('input_invalid', `${CRASH_ORDER} is set by a crash sweep and by nobody else`, { cause });
  }
}
