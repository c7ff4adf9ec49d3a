import type { KernelEnv, RunState } from '../../kernel/index.ts';
import type { Frame } from '../../model/events/frame.ts';
import { frameEvents } from '../../model/events/frame-events.ts';
import { sentenceSeparator, shownSentences } from '../../model/evidence/answer.ts';
import { CompiledContext } from '../../model/evidence/context.ts';
import { Fault } from '../../model/fault/fault.ts';
import { parse } from '../../model/json/parse.ts';
import type { ThreadHistory, ThreadPart, ThreadUse } from '../../model/run/thread.ts';
import type { Journal } from '../../ports/journal/journal.ts';
import { foldRun } from '../load.ts';
import { recordedText } from '../run-contexts.ts';
import { withDigest } from './compressed-history.ts';
import { wordsOf } from './run-words.ts';
import { trustLabels } from './trust-labels.ts';

export interface ThreadDeps {
  readonly journal: Pick<Journal, 'load' | 'blob' | 'threadSessions'>;
  readonly rulesOf: (frames: readonly Frame[]) => Promise<KernelEnv>;
}

const NO_USE: ThreadUse = Object.freeze({
  input_tokens: 0,
  output_tokens: 0,
  cost_microusd: 0,
  tool_calls: 0,
  side_effects: 0,
});

/** An ended or open run of a thread, and its frames. */
interface Member {
  readonly state: RunState;
  readonly frames: readonly Frame[];
}

/**
 * Reads the history of a thread up to a run, or all of it. Every run records the history before it, so that only the
 * last run is read, and the runs before it that ended without a manifest.
 */
export async function readThread(
  deps: ThreadDeps,
  { tenant, thread, before }: { readonly tenant: string; readonly thread: string; readonly before?: string },
): Promise<ThreadHistory> {
  const rows = await deps.journal.threadSessions(tenant, thread);
  const end = before === undefined ? -1 : rows.findIndex(({ session_id }) => session_id === before);
  const earlier = end < 0 ? rows : rows.slice(0, end);
  const members: Member[] = [];
  for (const { session_id } of earlier.toReversed()) {
    const member = await loadMember(deps, { tenant, thread }, session_id);
    members.unshift(member);
    if (member.state.manifest?.thread !== undefined) break;
  }
  const [first] = members;
  const base = first === undefined ? null : await recordedHistory(deps, first.state);
  return members.reduce(withRun, base ?? { id: thread, runs: [], used: NO_USE, parts: [], said: [], cleared: [] });
}

async function loadMember(
  { journal, rulesOf }: ThreadDeps,
  { tenant, thread }: { readonly tenant: string; readonly thread: string },
  session: string,
): Promise<Member> {
  try {
    const frames = await journal.load(session);
    const { state } = foldRun(await rulesOf(frames), frames);
    if (state.id.tenantId === tenant) return { state, frames };
    throw new Fault('store_corrupt', `session ${session} is stored as a run of ${tenant}, and records another tenant`);
  } catch (error) {
    if (!Fault.is(error) || error.code !== 'session_pruned') throw error;
    const message = `the last run of thread ${thread} was pruned, so that its history is gone: begin a new thread`;
    throw new Fault('session_pruned', message, { cause: error });
  }
}

/** The history that a run started with, without the messages that it dropped in a compression. */
async function recordedHistory({ journal }: ThreadDeps, state: RunState): Promise<ThreadHistory | null> {
  const { manifest, intake } = state;
  if (manifest?.thread === undefined) return null;
  const { id, runs, used } = manifest.thread;
  const { said = [], cleared = [] } = intake.history ?? {};
  const context =
    intake.context === undefined ? null : JSON.parse(await recordedText(journal, intake.context, 'compiled context'));
  const { history = [] } = context === null ? {} : parse(CompiledContext, context, 'store_corrupt');
  return { id, runs, used, parts: withDigest(state, history), said, cleared };
}

/** The history with one more run: its message, the answers to its questions, its own answer, and how it ended. */
function withRun(history: ThreadHistory, { state, frames }: Member): ThreadHistory {
  const { runId } = state.id;
  const words = wordsOf(state, frames);
  const own = words.flatMap(({ said }) => (said === undefined ? [] : [{ run_id: runId, text: said }]));
  return {
    ...history,
    runs: [...history.runs, runId],
    used: addUse(history.used, state),
    parts: [...history.parts, ...words.map(({ part }) => part), ...answerOf(state), ...endingOf(state)],
    said: [...history.said, ...own],
    cleared: [...new Set([...history.cleared, ...clearedIn(frames)])],
  };
}

/** The answer of a run. Consecutive sentences with the same sources are one part. */
function answerOf(state: RunState): readonly ThreadPart[] {
  const part = (label: Pick<ThreadPart, 'trusted' | 'sources'>, words: string): ThreadPart => ({
    run_id: state.id.runId,
    at: state.now,
    by: 'agent',
    text: words,
    ...label,
  });
  const labels = trustLabels(state);
  const sentences = shownSentences(state.ending.answer?.released ?? []);
  if (sentences.length === 0) {
    const text = state.ending.response?.text ?? '';
    return text === '' ? [] : [part(labels.text(), text)];
  }
  const parts: ThreadPart[] = [];
  for (const [place, sentence] of sentences.entries()) {
    const label = labels.sentence(sentence);
    const last = parts.at(-1);
    if (last !== undefined && last.trusted === label.trusted && last.sources.join() === label.sources.join())
      parts[parts.length - 1] = part(
        label,
        last.text + sentenceSeparator(sentences[place - 1], sentence) + sentence.text,
      );
    else parts.push(part(label, sentence.text));
  }
  return parts;
}

/** How a run ended that has not simply been answered. The code and the reason are the runtime's own words. */
function endingOf({ id, now, ending: { terminal } }: RunState): readonly ThreadPart[] {
  if (terminal === null || terminal.code === 'SUCCESS') return [];
  const text = `${terminal.code}: ${terminal.reason}`;
  return [{ run_id: id.runId, at: now, by: 'ending', text, trusted: true, sources: [] }];
}

function addUse(before: ThreadUse, { budget }: RunState): ThreadUse {
  if (budget === null) return before;
  const { input_tokens, output_tokens, cost_microusd, tool_spend_microusd, tool_calls, side_effects } = budget.used;
  return {
    input_tokens: before.input_tokens + input_tokens,
    output_tokens: before.output_tokens + output_tokens,
    cost_microusd: before.cost_microusd + cost_microusd + tool_spend_microusd,
    tool_calls: before.tool_calls + tool_calls,
    side_effects: before.side_effects + side_effects,
  };
}

/** The arguments of the calls that a run put forward and that could have changed something, by hash. */
const clearedIn = (frames: readonly Frame[]): readonly string[] =>
  frames
    .flatMap(frameEvents)
    .flatMap((event) => (event.type === 'step_cleared' && event.mode !== 'read_only' ? [event.args_hash] : []));
