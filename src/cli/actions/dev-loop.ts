import { Fault } from '../../index.ts';
import { type Call, textOf } from '../command.ts';
import { type LoadedConfig, loadConfig } from '../config/load-config.ts';
import { exitOf } from '../exit-codes.ts';
import { explain, explainedView } from '../explain-fault.ts';
import { askChoice, askText } from '../terminal/ask.ts';
import { agentOf, runOnce } from './run.ts';
import { word } from './with-runtime.ts';

/** The request of the line, once; or goals that somebody types, until they have enough. */
export async function devLoop(call: Call): Promise<number> {
  const goal = textOf(call.flags, 'goal');
  if (goal !== null) {
    const loaded = await loadConfig(call.configFile);
    return await runOnce(call, loaded, { agent: agentOf(call, loaded), goal });
  }
  if (!call.terminal.interactive) {
    throw new Fault('input_invalid', 'nobody is at a terminal to type a goal: give one with --goal "…"');
  }
  const loaded = await loadConfig(call.configFile);
  for (;;) {
    const agent = await pickAgent(call, loaded);
    const typed = agent === null ? null : await askText(`What should ${agent} do? (Ctrl-C ends)`);
    if (agent === null || typed === null) return exitOf('done');
    await oneGoal(call, loaded, agent, typed);
  }
}

async function pickAgent(call: Call, { config }: LoadedConfig): Promise<string | null> {
  const names = config.agents.map(({ spec }) => spec.name);
  const named = word(call, 'agent');
  if (names.includes(named)) return named;
  if (names.length === 1) return names[0] ?? null;
  return await askChoice(
    'Which agent?',
    names.map((value) => ({ value, label: value })),
  );
}

/** What goes wrong with one goal is read, and the next one is typed. */
async function oneGoal(call: Call, loaded: LoadedConfig, agent: string, goal: string): Promise<void> {
  try {
    await runOnce(call, loaded, { agent, goal });
  } catch (error) {
    if (!Fault.is(error)) throw error;
    call.terminal.note((paint) => explainedView(explain(error), paint));
  }
}
