import { defineStudy } from 'gondwana';

/**
 * Crowns of airborne images as boxes, by a small Faster R-CNN on features that stay as they are: those of photographs, and
 * those of random weights. Boxes on a grid and at random are added by themselves.
 */
export default defineStudy({
  name: 'tree-crowns',
  title: 'Do frozen features of photographs find tree crowns from the air?',
  source: 'GEO-Bench-2, object detection',
  protocol: 'neon-crown-boxes',
  datasets: ['neon-crown-boxes'],
  encoders: ['efficientnet-lite0'],
  decoders: ['faster-rcnn'],
  settings: { encoderMode: 'frozen' },
  vary: { encoderWeights: ['pretrained', 'random'] },
  seeds: [0, 1, 2],
  keepWeights: true,
  quick: { seeds: [0], settings: { epochs: 3, flipProbability: 0 } },
});
