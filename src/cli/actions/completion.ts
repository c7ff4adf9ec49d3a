import { Fault } from '../../index.ts';
import { type Action, argument } from '../command.ts';
import { getExitCode } from '../exit-codes.ts';

/** Completion scripts. They call `ambit __complete`, so that an installed script also knows commands of later versions. */
const SCRIPTS: Readonly<Record<string, string>> = {
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
  const shell = argument(call, 'shell');
  const script = SCRIPTS[shell];
  if (script === undefined)
    throw new Fault(
      'input_invalid',
      `no completion script for ${shell}; available: ${Object.keys(SCRIPTS).join(', ')}`,
    );
  call.terminal.show({ shell, script }, () => script);
  return getExitCode('done');
};
