import { nextWake, type OpenQuestion, type RunState, stopIfUnanswered } from '../../kernel/index.ts';
import type { EventBody } from '../../model/events/event.ts';
import { Fault } from '../../model/fault/fault.ts';
import { readAnswers } from '../../model/run/read-answers.ts';
import { refuseInThread } from '../../ports/journal/append-refusals.ts';
import type { Journal } from '../../ports/journal/journal.ts';
import type { SessionRow } from '../../ports/journal/rows.ts';
import type { GoalReceived } from '../../session/host.ts';
import { waitedGate } from '../gates/closed-gate.ts';

/** The run that takes a message, and the cursor after which its events belong to the message. */
export interface TakenBy {
  readonly runId: string;
  readonly after?: string;
}

/** A message that answers the open question of its thread. */
export interface ThreadAnswer extends Required<TakenBy> {
  readonly event: EventBody;
}

export interface ThreadMessageDeps {
  readonly journal: Pick<Journal, 'threadSessions'>;
  readonly nowMs: () => number;
  readonly look: (runId: string) => Promise<RunState>;
  /** Applies the limits of a waiting run that have passed. */
  readonly wake: (runId: string) => Promise<unknown>;
}

/**
 * Reads a message as the answer to the open question of its thread. Null if the thread has no open run, so that the
 * message begins one. A message never decides a gate.
 */
export async function readThreadAnswer(
  deps: ThreadMessageDeps,
  goal: GoalReceived,
  agent: string,
): Promise<ThreadAnswer | null> {
  const { thread, tenant_id } = goal;
  if (thread === undefined) return null;
  const rows = await deps.journal.threadSessions(tenant_id, thread);
  const denied = refuseInThread({ thread, thread_user: goal.identity.actor, agent }, rows.filter(isEnded));
  const open = rows.find((row) => !isEnded(row));
  if (denied !== null) throw denied;
  if (open === undefined) return null;
  const foreign = refuseInThread({ thread, thread_user: goal.identity.actor, agent }, [open]);
  if (foreign?.code === 'thread_denied') throw foreign;
  const state = await currentState(deps, open.session_id);
  if (state.ending.terminal !== null) return null;
  const { question } = state.people;
  if (question === null || !isPlain(goal)) throw busy(state, thread);
  return {
    runId: open.session_id,
    // No frame has this many events, so that the stream begins with the next frame.
    after: `${open.seq}.${EVENTS_MAX}`,
    event: answerOf(goal, question),
  };
}

const EVENTS_MAX = 999_999;

const isEnded = ({ terminal_code }: SessionRow): boolean => terminal_code !== null;

/** An answer is words alone: inputs and a single call belong to a new run. */
const isPlain = ({ goal, inputs }: GoalReceived): boolean =>
  goal.call === undefined && Object.keys(inputs).length === 0;

async function currentState({ look, wake, nowMs }: ThreadMessageDeps, runId: string): Promise<RunState> {
  const state = await look(runId);
  const due = nextWake(state);
  if (due === null || due > nowMs() || state.session.status === 'in_progress') return state;
  await wake(runId);
  return await look(runId);
}

function answerOf(
  { goal, identity }: GoalReceived,
  { questionId: question_id, fields, readings, packetHash }: OpenQuestion,
): EventBody {
  const answers = readAnswers(goal.statement, { fields, readings });
  const about = packetHash === null ? {} : { packet_hash: packetHash };
  return { type: 'question_answered', question_id, ...about, answers, changes_scope: false, by: identity.actor };
}

/** Reports a question that another message has just answered. Rethrows any other fault. */
export const asBusy =
  (runId: string, { type }: EventBody) =>
  (error: unknown): never => {
    if (!Fault.is(error) || error.code !== 'event_illegal' || type !== 'question_answered') throw error;
    const message = `${runId} has just been answered by another message: send the message when it has ended`;
    throw new Fault('thread_busy', message, { cause: error });
  };

function busy(state: RunState, thread: string): Fault {
  const { id, session, people } = state;
  const run = `${id.runId} in thread ${thread}`;
  if (people.gates.length > 0) {
    const fix = 'a message decides no gate: a person decides it with a credential and the hash of its packet';
    return new Fault('thread_busy', `${run} waits at the gate ${waitedGate(state) ?? people.gates[0]?.name}; ${fix}`);
  }
  if (people.question !== null) {
    return new Fault(
      'thread_busy',
      `${run} has asked a question: answer it with a message alone, without inputs or a call`,
    );
  }
  if (people.escalation !== null) {
    const fix = `\`ambit sessions show ${id.runId}\` and \`why\` of its outcome explain it; a person decides it with \`ambit sessions decide ${id.runId}\`, or cancels it`;
    return new Fault('thread_busy', `${run} waits for a decision (${stopIfUnanswered(state)?.reason}); ${fix}`);
  }
  const fix = `send the message when it has ended, resume it if its process has died (\`ambit sessions resume ${id.runId}\`), or cancel it`;
  return new Fault('thread_busy', `${run} has not ended (${session.status}): ${fix}`);
}
