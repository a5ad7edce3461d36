import { describe, expect, it } from 'vitest';
import {
  describeError,
  errorData,
  errorFromData,
  GondwanaError,
  InputError,
  nearest,
  RunError,
  StoppedError,
  UsageError,
} from '../src/errors.js';

describe('errors', () => {
  it('carry the exit code of their kind', () => {
    expect(new InputError('A', 'a').exitCode).toBe(3);
    expect(new UsageError('A', 'a').exitCode).toBe(2);
    expect(new RunError('A', 'a').exitCode).toBe(1);
    expect(new StoppedError('a').exitCode).toBe(130);
  });

  it('say what, where and what to do, line by line', () => {
    const error = new InputError('MASK_SIZE', 'The mask is 3 × 4.', { where: 'a.png', hint: 'Crop it.' });
    expect(describeError(error)).toBe('MASK_SIZE: The mask is 3 × 4.\n  where: a.png\n  to do: Crop it.');
  });

  it.each([
    new InputError('A', 'm', { where: 'w', hint: 'h' }),
    new UsageError('B', 'm'),
    new RunError('C', 'm', { hint: 'h' }),
    new StoppedError('m'),
  ])('cross a thread as plain data and keep class and text: $name', (error) => {
    const revived = errorFromData(structuredClone(errorData(error)));
    expect(revived).toBeInstanceOf(error.constructor);
    expect(revived.toJSON()).toEqual(error.toJSON());
  });

  it('that are none of ours become INTERNAL with their stack', () => {
    const data = errorData(new TypeError('x is not a function'));
    expect(data).toMatchObject({ code: 'INTERNAL', message: 'x is not a function', exitCode: 1 });
    expect(data.where).toContain('errors.test');
    expect(errorFromData(data)).toBeInstanceOf(GondwanaError);
  });

  it('suggest the nearest word within two edits and no other', () => {
    expect(nearest('frosen', ['fine-tuned', 'frozen'])).toBe('frozen');
    expect(nearest('resnet', ['vit', 'unet'])).toBeUndefined();
  });
});
