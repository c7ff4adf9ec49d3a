import { existsSync } from 'node:fs';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { type AgentsRuntimeOptions, type Ambit, type AmbitConfig, ambit, Fault } from '../../index.ts';
import { parseStore } from '../../model/index.ts';
import { CliFault, type SourceLocation } from '../cli-fault.ts';
import { findImport, locateCall, locateNode, locatePath, readSourceTree } from './locate-path.ts';

/** A loaded config. Relative paths in it are relative to its folder, not to the working directory. */
export interface LoadedConfig {
  readonly file: string;
  readonly folder: string;
  readonly config: AmbitConfig;
}

export async function loadConfig(configFile: string | null, from: string = process.cwd()): Promise<LoadedConfig> {
  const file = findConfig(from, configFile);
  const folder = dirname(file);
  const exported = await importDefault(file);
  const config = checkConfig(file, exported);
  return { file, folder, config: { ...config, ...resolveStore(folder, config.store) } };
}

async function importDefault(file: string): Promise<unknown> {
  try {
    const module: { readonly default?: unknown } = await import(pathToFileURL(file).href);
    return await module.default;
  } catch (error) {
    throw explainLoadError(error, file);
  }
}

const SQLITE = 'sqlite:';

function resolveStore(folder: string, store: AmbitConfig['store']): Pick<AmbitConfig, 'store'> {
  if (store === undefined || !store.startsWith(SQLITE)) return {};
  const path = store.slice(SQLITE.length);
  return { store: isAbsolute(path) ? store : `sqlite:${join(folder, path)}` };
}

/** Opens the runtime of a config. A fault about an agent carries its location in the config. */
export function openRuntime({ file, config }: LoadedConfig): Ambit {
  const { identity, operator, ...options } = config;
  try {
    return ambit(options);
  } catch (error) {
    if (!Fault.is(error)) throw error;
    const path = toConfigPath(error.path ?? '', findFailingAgent(options));
    throw new CliFault(error.code, error.message, { place: locatePath(file, path), path, cause: error });
  }
}

/** Returns the index of the agent that cannot be opened alone; -1 if each can. */
function findFailingAgent({ agents, ...options }: AgentsRuntimeOptions): number {
  return agents.findIndex((agent) => {
    try {
      void ambit({ ...options, store: 'memory', agents: [agent] }).close();
      return false;
    } catch {
      return true;
    }
  });
}

/** Fields that all agents share. Any other path points into one agent. */
const SHARED_FIELDS: readonly string[] = ['agents', 'store', 'world', 'limits', 'graph'];

/** Turns a path into the options of one agent, such as `/agent/budget`, into a path of the config: `/agents/0/budget`. */
function toConfigPath(path: string, at: number): string {
  const [, first = '', ...rest] = path.split('/');
  if (at < 0 || SHARED_FIELDS.includes(first)) return path;
  const inAgent = first === 'agent' ? rest : [first, ...rest];
  // templatePlanner(templates) receives the plans directly, without the field `written`.
  const [part, next, ...deeper] = inAgent;
  const tokens = part === 'planner' && next === 'written' ? [part, ...deeper] : inAgent;
  return ['', 'agents', at, ...tokens.filter((token) => token !== '')].join('/');
}

const KEYS = [
  'agents',
  'store',
  'world',
  'limits',
  'graph',
  'identity',
  'operator',
] as const satisfies readonly (keyof AmbitConfig)[];

interface Problem {
  readonly path: string;
  readonly message: string;
  readonly fix: string;
}

/** Checks the default export of a config. Throws a fault with the location of the first problem. */
function checkConfig(file: string, exported: unknown): AmbitConfig {
  const problem = findProblem(exported);
  if (problem === null) return exported as AmbitConfig;
  const { path, message, fix } = problem;
  throw new CliFault('input_invalid', message, { place: locatePath(file, path), path, fix });
}

function findProblem(exported: unknown): Problem | null {
  if (!isRecord(exported)) {
    return {
      path: '',
      message: 'the config has no default export that is an object',
      fix: 'export default defineConfig({ agents: […] })',
    };
  }
  const unknown = Object.keys(exported).find((key) => !KEYS.some((known) => known === key));
  if (unknown !== undefined) return explainUnknownKey(unknown);
  return findAgentsProblem(exported['agents']) ?? findStoreProblem(exported['store']);
}

function explainUnknownKey(key: string): Problem {
  const near = KEYS.find((known) => known.startsWith(key.slice(0, 3)) || key.startsWith(known.slice(0, 3)));
  const message = `unknown field ${JSON.stringify(key)}; the fields are ${KEYS.join(', ')}`;
  return { path: `/${key}`, message, fix: near === undefined ? 'remove it' : `did you mean ${near}?` };
}

function findAgentsProblem(agents: unknown): Problem | null {
  const fix = 'agents: [agent({ name, model, tools, boundary })]';
  if (!Array.isArray(agents) || agents.length === 0)
    return { path: '/agents', message: 'agents must be a list of at least one agent', fix };
  const at = agents.findIndex(
    (agent) => !isRecord(agent) || !isRecord(agent['spec']) || !Array.isArray(agent['tools']),
  );
  if (at < 0) return null;
  const message = `agents[${at}] was not created with agent(…)`;
  return { path: `/agents/${at}`, message, fix: 'wrap it: agent({ name, model, tools, boundary })' };
}

function findStoreProblem(store: unknown): Problem | null {
  const problem = { path: '/store', fix: "store: 'sqlite:ambit.db'" };
  if (store === undefined) return null;
  if (typeof store !== 'string') return { ...problem, message: `store must be a string, not ${JSON.stringify(store)}` };
  try {
    parseStore(store);
    return null;
  } catch (error) {
    if (!Fault.is(error)) throw error;
    return { ...problem, message: error.message };
  }
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Turns an error from loading a config into a fault with a location and a fix. */
function explainLoadError(error: unknown, configFile: string): CliFault {
  if (Fault.is(error)) return explainDeclarationFault(error, configFile);
  const { code, message } = error as NodeJS.ErrnoException;
  const text = error instanceof Error ? message : String(error);
  if (code === 'ERR_MODULE_NOT_FOUND') return explainMissingModule(text, configFile, error);
  const place = locateInStack(error) ?? { file: configFile, line: 1, column: 1 };
  if (code === 'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX') {
    const fix = 'Node.js only strips types: do not use enum, namespace or parameter properties';
    return new CliFault('input_invalid', text, { place, fix, cause: error });
  }
  const reason = error instanceof SyntaxError ? text : `the config threw an error while loading: ${text}`;
  return new CliFault('input_invalid', reason, { place, cause: error });
}

/** Locates a fault of `tool(…)` or `agent(…)`: its path points into the argument, its stack names the call. */
function explainDeclarationFault(fault: Fault, configFile: string): CliFault {
  const call = locateInStack(fault);
  const place = call === null ? { file: configFile, line: 1, column: 1 } : locateCall(call, fault.path ?? '');
  return new CliFault(fault.code, fault.message, { place, path: fault.path, cause: fault });
}

function explainMissingModule(message: string, configFile: string, cause: unknown): CliFault {
  const { missing = '', importer = configFile } =
    /Cannot find (?:module|package) '(?<missing>[^']+)' imported from (?<importer>.+)$/.exec(message)?.groups ?? {};
  const isPackage = !missing.startsWith('/') && !missing.startsWith('file:');
  const tree = readSourceTree(importer);
  const node = tree === null ? null : findImport(tree, missing);
  const place = tree === null || node === null ? { file: importer, line: 1, column: 1 } : locateNode({ tree, node });
  const fix = isPackage ? `npm install ${missing}` : `create ${missing}, or correct the import`;
  return new CliFault('input_invalid', `cannot find ${missing}`, { place, fix, cause });
}

/** The root of this package. Stack frames inside it are not the user's code. */
const PACKAGE_URL = new URL('../../', import.meta.url).href;

/** Locates the innermost stack frame in the user's code. */
function locateInStack(error: unknown): SourceLocation | null {
  if (!(error instanceof Error)) return null;
  const head = /^(?<file>file:\/\/\S+):(?<line>\d+)$/m.exec(String(error.stack).split('\n    at ')[0] ?? '')?.groups;
  if (head !== undefined) return toLocation(head['file'] ?? '', Number(head['line']), findColumn(String(error.stack)));
  for (const frame of String(error.stack).matchAll(
    /\(?(?<file>file:\/\/[^\s()]+?):(?<line>\d+):(?<column>\d+)\)?$/gm,
  )) {
    const { file = '', line, column } = frame.groups ?? {};
    if (!file.startsWith(PACKAGE_URL) && !file.includes('/node_modules/'))
      return toLocation(file, Number(line), Number(column));
  }
  return null;
}

function toLocation(url: string, line: number, column: number): SourceLocation | null {
  const file = fileURLToPath(url.split('?')[0] ?? url);
  return existsSync(file) ? { file, line, column } : null;
}

/** Finds the column of the `^` under the source line of a syntax error. */
function findColumn(stack: string): number {
  const arrow = stack.split('\n').find((line) => /^\s*\^+\s*$/.test(line));
  return arrow === undefined ? 1 : arrow.indexOf('^') + 1;
}

const CONFIG_NAME = 'ambit.config.ts';

/** Returns the file of `--config`, or the nearest `ambit.config.ts` in this folder or above. */
export function findConfig(folder: string, configFile: string | null): string {
  if (configFile !== null) {
    const file = resolve(folder, configFile);
    if (existsSync(file)) return file;
    throw new CliFault('input_invalid', `config file ${file} does not exist`, {
      fix: 'pass another file with --config',
    });
  }
  for (let at = resolve(folder); ; at = dirname(at)) {
    const file = join(at, CONFIG_NAME);
    if (existsSync(file)) return file;
    if (dirname(at) === at) break;
  }
  throw new CliFault('input_invalid', `no ${CONFIG_NAME} in ${resolve(folder)} or a folder above it`, {
    fix: "write one (export default defineConfig({ agents: [yours], store: 'sqlite:ambit.db' })), or create a project: ambit init",
  });
}
