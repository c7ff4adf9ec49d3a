import { randomUUID } from 'node:crypto';
import { resolve } from 'node:path';
import { type Ambit, Fault, type InboxItem, type JsonObject, type RunOutcome } from '../../index.ts';
import { asTyped } from '../as-typed.ts';
import { type Action, type Call, isOn, textOf, valuesOf } from '../command.ts';
import { type LoadedConfig, loadConfig, openRuntime } from '../config/load-config.ts';
import { deciderOf, neededDecider } from '../decider.ts';
import { exitOf } from '../exit-codes.ts';
import { explain } from '../explain-fault.ts';
import { jsonFile } from '../json-file.ts';
import { StartedFault } from '../started-fault.ts';
import { askChoice, askText } from '../terminal/ask.ts';
import { printed } from '../terminal/printed.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { nextSteps } from '../views/next-step.ts';
import { aboutRun } from './about-run.ts';
import { type Asked, askAtGate, handIn } from './decide-gate.ts';
import { follower } from './follow-run.ts';
import { identityOf } from './identity.ts';
import { openGates } from './open-gate.ts';
import { showOutcome } from './show-outcome.ts';
import { word } from './with-runtime.ts';

export const run: Action = async (call) => {
  const loaded = await loadConfig(call.configFile);
  const goal = textOf(call.flags, 'goal');
  if (goal === null) throw new Fault('input_invalid', 'say what is to be done: --goal "…"');
  return await runOnce(call, loaded, { agent: agentOf(call, loaded), goal });
};

/** One agent needs no name. */
export function agentOf(call: Call, { config }: LoadedConfig): string {
  const names = config.agents.map(({ spec }) => spec.name);
  const named = word(call, 'agent');
  if (named === '' && names.length === 1) return names[0] ?? '';
  if (names.includes(named)) return named;
  const message = named === '' ? 'name the agent' : `there is no agent ${named}`;
  throw new Fault('input_invalid', `${message}; the config has ${names.join(', ')}`);
}

export interface Wanted {
  readonly agent: string;
  readonly goal: string;
}

/** Runs a request as far as it goes, with the person at the terminal at its gates, and shows how it stands. */
export async function runOnce(call: Call, loaded: LoadedConfig, { agent, goal }: Wanted): Promise<number> {
  const { terminal, flags } = call;
  const identity = identityOf(flags, loaded.config);
  assertDeciders(call, loaded);
  const intent = textOf(flags, 'intent');
  const inputs = inputsOf(call);
  const started = Promise.withResolvers<string>();
  let runId: string | null = null;
  const told = (id: string): void => {
    runId ??= id;
    started.resolve(id);
  };
  const runtime = openRuntime(withTold(loaded, told));
  const follow = follower(runtime, started.promise, terminal);
  const interrupted = onInterrupt(terminal, () => runId);
  try {
    const ask = { goal, identity, inputs, ...(intent === null ? {} : { intent }) };
    const first = await follow(runtime.invoke(agent, ask));
    return await showOutcome(
      terminal,
      runtime,
      await decided({ runtime, config: loaded.config, terminal, flags, follow }, first, identity.actor),
    );
  } catch (error) {
    throw await startedFault(runtime, runId, error);
  } finally {
    process.off('SIGINT', interrupted);
    await runtime.close();
  }
}

/** Who approves is known before there is anything to approve. */
function assertDeciders({ flags }: Call, { config }: LoadedConfig): void {
  if (isOn(flags, 'yes')) neededDecider(flags, config);
  else deciderOf(flags, config);
}

/** Says which run it was, and how to go on with it; a request that was refused at the door has left no run. */
async function startedFault(runtime: Ambit, session: string | null, cause: unknown): Promise<unknown> {
  const outcome = session === null ? null : await runtime.outcome(session).catch(() => null);
  if (session === null || outcome === null) return cause;
  const [first = `ambit sessions show ${session}`] = nextSteps(outcome, await aboutRun(runtime, outcome));
  const { code, message } = Fault.is(cause) ? cause : { code: 'internal' as const, message: explain(cause).message };
  return new StartedFault(code, message, { session, fix: first, cause });
}

/** What is on disk stays there: whoever breaks off is told how to go on. */
function onInterrupt(terminal: Terminal, started: () => string | null): () => void {
  const stop = (): void => {
    const runId = started();
    if (runId !== null)
      terminal.note((paint) => `\n${paint('quiet', 'next:')} ${asTyped(`ambit sessions resume ${runId}`)}`);
    process.exit(exitOf('interrupted'));
  };
  process.once('SIGINT', stop);
  return stop;
}

function inputsOf({ flags }: Call): JsonObject {
  const file = textOf(flags, 'inputsFile');
  const kept = file === null ? {} : jsonFile(resolve(file), '--inputs-file');
  return { ...kept, ...valuesOf(flags, 'input') };
}

/** The same world, in which somebody hears the id of the run before it has come to rest. */
function withTold(loaded: LoadedConfig, told: (runId: string) => void): LoadedConfig {
  const { config } = loaded;
  const ids = config.world?.ids ?? { next: (prefix: string) => `${prefix}_${randomUUID()}` };
  const telling = {
    next: (prefix: string): string => {
      const id = ids.next(prefix);
      if (prefix === 'run') told(id);
      return id;
    },
  };
  return { ...loaded, config: { ...config, world: { ...config.world, ids: telling } } };
}

/** Takes a run through what it asks people: the person at the terminal, `--yes`, or nobody. */
async function decided(asked: Asked, first: RunOutcome, actor: string): Promise<RunOutcome> {
  let outcome = first;
  for (;;) {
    const next = await nextWord(asked, outcome, actor);
    if (next === null) return outcome;
    outcome = next;
  }
}

async function nextWord(asked: Asked, outcome: RunOutcome, actor: string): Promise<RunOutcome | null> {
  const [gate] = outcome.pending;
  if (gate !== undefined) {
    const item = (await openGates(asked.runtime)).find((open) => open.gate.gate_id === gate.gateId);
    return item === undefined ? null : await decideOne(asked, item);
  }
  if (outcome.question === null || !asked.terminal.interactive) return null;
  return await askUser(asked, outcome, actor);
}

/** The one for whom the run acts answers what it asks them. */
async function askUser(
  { runtime, follow }: Asked,
  { runId, question }: RunOutcome,
  actor: string,
): Promise<RunOutcome | null> {
  if (question === null) return null;
  const { fields, readings } = question;
  const answers: Record<string, string> = {};
  for (const field of fields) {
    const answer =
      field === 'intent' && readings.length > 0
        ? await askChoice(
            'What is meant?',
            readings.map((value) => ({ value, label: printed(value) })),
          )
        : await askText([...readings.map(printed), `${printed(field)}?`].join('\n'));
    if (answer === null) return null;
    answers[field] = answer;
  }
  return await follow(runtime.answer(runId, question, answers, actor));
}

async function decideOne(asked: Asked, item: InboxItem): Promise<RunOutcome | null> {
  const { runtime, config, terminal, flags, follow } = asked;
  if (!isOn(flags, 'yes')) return terminal.interactive ? await askAtGate(asked, item) : null;
  const decider = neededDecider(flags, config);
  const { gate_id, packet_hash: packetHash, name } = item.gate;
  terminal.note((paint) => `${paint('waits', name)} is approved by --yes, as ${decider.name}: ${packetHash}`);
  const reason = textOf(flags, 'reason') ?? 'approved in advance with --yes';
  return await follow(handIn(runtime, gate_id, decider, { decision: 'approve', packetHash, reason }));
}
