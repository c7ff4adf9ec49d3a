/**
 * Checks before each value that it may still be read. `return()` reaches the guarded iterator at once, also while it
 * waits for its next value.
 */
export const guardValues = <T>(values: AsyncIterable<T>, assertReadable: () => void): AsyncIterable<T> => ({
  [Symbol.asyncIterator]: () => {
    const iterator = values[Symbol.asyncIterator]();
    const stop = async (): Promise<IteratorResult<T, void>> => {
      await iterator.return?.();
      return { done: true, value: undefined };
    };
    return {
      next: async () => {
        const next = await iterator.next();
        if (next.done === true) return next;
        try {
          assertReadable();
        } catch (error) {
          await stop();
          throw error;
        }
        return next;
      },
      return: stop,
    };
  },
});
