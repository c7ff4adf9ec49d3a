import { resolve } from 'node:path';
import { Fault, type InboxItem, type JsonObject, type RunOutcome } from '../../index.ts';
import { asTyped } from '../as-typed.ts';
import { type Action, type Call, isOn, textOf, valuesOf } from '../command.ts';
import { type LoadedConfig, loadConfig } from '../config/load-config.ts';
import { deciderOf, neededDecider } from '../decider.ts';
import { exitOf } from '../exit-codes.ts';
import { jsonFile } from '../json-file.ts';
import { askChoice, askText } from '../terminal/ask.ts';
import { printed } from '../terminal/printed.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { type Begun, beginning } from './begin-run.ts';
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
  return await beginning(loaded, async (runtime, begun) => {
    const follow = follower(runtime, begun.id, terminal);
    const interrupted = onInterrupt(terminal, begun);
    try {
      const ask = { goal, identity, inputs, ...(intent === null ? {} : { intent }) };
      const first = await follow(runtime.invoke(agent, ask));
      const asked = { runtime, config: loaded.config, terminal, flags, follow };
      return await showOutcome(terminal, runtime, await decided(asked, first, identity.actor));
    } finally {
      process.off('SIGINT', interrupted);
    }
  });
}

/** Who approves is known before there is anything to approve. */
function assertDeciders({ flags }: Call, { config }: LoadedConfig): void {
  if (isOn(flags, 'yes')) neededDecider(flags, config);
  else deciderOf(flags, config);
}

/** What is on disk stays there: whoever breaks off is told how to go on. */
function onInterrupt(terminal: Terminal, begun: Begun): () => void {
  const stop = (): void => {
    const runId = begun.known();
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
