import { type Action, argument, type Command, type CompletionKind, getExitCode } from '../command.ts';
import { findCandidates } from '../shared/find-candidates.ts';

/** Completes a command line for the shell. Returns no file names, which the shell completes itself. */
export async function completeLine(commands: readonly Command[], typed: readonly string[]): Promise<readonly string[]> {
  const found = findCandidates(commands, typed);
  if ('words' in found) return found.words;
  // A broken config must not print an error into the user's prompt.
  return await lookUpIds(found.kind).catch(() => []);
}

async function lookUpIds(kind: CompletionKind): Promise<readonly string[]> {
  if (kind === 'file' || kind === 'folder') return [];
  const { loadConfig, openRuntime } = await import('../config/load-config.ts');
  const loaded = await loadConfig(null);
  if (kind === 'agent') return loaded.config.agents.map(({ spec }) => spec.name);
  const runtime = openRuntime(loaded);
  try {
    if (kind === 'session') return (await runtime.sessions.list({ limit: 50 })).map(({ runId }) => runId);
    const { groups, deferred } = await runtime.gates.list();
    return [...groups.flatMap(({ items }) => items), ...deferred].map(({ gate }) => gate.gate_id);
  } finally {
    await runtime.close();
  }
}

/** Completion scripts. They call `ambit __complete`, so that an installed script also knows commands of later versions. */
const SCRIPTS = {
  bash: `_ambit() {
  local IFS=$'\\n'
  local found
  found="$(ambit __complete "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)"
  COMPREPLY=($(compgen -W "$found" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _ambit ambit`,
  zsh: `#compdef ambit
_ambit() {
  local -a found
  found=("\${(@f)$(ambit __complete "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ -n "\${found[1]}" ]]; then compadd -a found; else _files; fi
}
compdef _ambit ambit`,
  fish: `complete -c ambit -f -a '(set -l words (commandline -opc) (commandline -ct); ambit __complete $words[2..] 2>/dev/null)'`,
};

export const printCompletionAction: Action = async (call) => {
  // The command table admits only these shells.
  const shell = argument(call, 'shell') as keyof typeof SCRIPTS;
  const script = SCRIPTS[shell];
  call.terminal.show({ shell, script }, () => script);
  return getExitCode('done');
};
