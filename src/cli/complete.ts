import { candidatesFor } from './candidates.ts';
import type { Completes } from './command.ts';
import { COMMANDS } from './commands/table.ts';

/** What a shell offers after a tab, one to a line. Files are left to the shell; what cannot be looked up is not offered. */
export async function complete(typed: readonly string[]): Promise<readonly string[]> {
  const found = candidatesFor(COMMANDS, typed);
  if ('words' in found) return found.words;
  return await lookUp(found.kind).catch(() => []);
}

async function lookUp(kind: Completes): Promise<readonly string[]> {
  if (kind === 'file' || kind === 'folder') return [];
  const { loadConfig, openRuntime } = await import('./config/load-config.ts');
  const loaded = await loadConfig(null);
  if (kind === 'agent') return loaded.config.agents.map(({ spec }) => spec.name);
  const runtime = openRuntime(loaded);
  try {
    if (kind === 'session') return (await runtime.sessions({ limit: 50 })).map(({ runId }) => runId);
    const { groups, deferred } = await runtime.pending();
    return [...groups.flatMap(({ items }) => items), ...deferred].map(({ gate }) => gate.gate_id);
  } finally {
    await runtime.close();
  }
}
