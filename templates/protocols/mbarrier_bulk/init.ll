; The copies work in the async proxy: it must see the barriers, and the images that they read.
{{> init}}
