import { resolve } from 'node:path';
import { Fault } from '../../index.ts';
import type { Authorizer } from '../../store.ts';
import { statusOf } from '../files.ts';

/** Loads policies from files and folders, or the policies that ship with Ambit. */
export async function loadAuthorizer(
  paths: readonly string[],
): Promise<{ readonly authorizer: Authorizer; readonly files: readonly string[] }> {
  const { cedarAuthorizer, policyFile, policyFiles, shippedPolicies } = await importCedar();
  const sources =
    paths.length === 0
      ? shippedPolicies()
      : paths.flatMap((path) => (isFolder(path) ? policyFiles(resolve(path)) : [policyFile(resolve(path))]));
  return { authorizer: cedarAuthorizer(sources), files: sources.map(({ file }) => file) };
}

const isFolder = (path: string): boolean => statusOf(path)?.isDirectory() === true;

/** Imports the policy engine, an optional peer dependency. */
async function importCedar(): Promise<typeof import('../../adapters/cedar/index.ts')> {
  try {
    return await import('../../adapters/cedar/index.ts');
  } catch (error) {
    const message = 'policies need @cedar-policy/cedar-wasm: npm install @cedar-policy/cedar-wasm';
    throw new Fault('dependency_unavailable', message, { cause: error });
  }
}
