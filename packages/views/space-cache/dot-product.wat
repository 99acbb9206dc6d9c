;; Dot products of one query with many vectors of 8-bit integers. dot-product.ts holds this module compiled; its test compiles it again.
(module
  (memory (export "memory") 20)
  ;; Vectors of `dimensions` signed bytes each stand from `vectors` on; the query as 16-bit integers at `query`; the sums go to `sums`.
  ;; `dimensions` is a multiple of 16.
  (func (export "dotProducts")
    (param $vectors i32) (param $count i32) (param $dimensions i32) (param $query i32) (param $sums i32)
    (local $end i32) (local $at i32) (local $bytes v128) (local $low v128) (local $high v128)
    (local.set $end (i32.add (local.get $sums) (i32.shl (local.get $count) (i32.const 2))))
    (block $done
      (loop $vector
        (br_if $done (i32.ge_u (local.get $sums) (local.get $end)))
        (local.set $low (v128.const i32x4 0 0 0 0))
        (local.set $high (v128.const i32x4 0 0 0 0))
        (local.set $at (i32.const 0))
        (loop $dimension
          (local.set $bytes (v128.load (i32.add (local.get $vectors) (local.get $at))))
          (local.set $low (i32x4.add (local.get $low)
            (i32x4.dot_i16x8_s (i16x8.extend_low_i8x16_s (local.get $bytes))
              (v128.load (i32.add (local.get $query) (i32.shl (local.get $at) (i32.const 1)))))))
          (local.set $high (i32x4.add (local.get $high)
            (i32x4.dot_i16x8_s (i16x8.extend_high_i8x16_s (local.get $bytes))
              (v128.load offset=16 (i32.add (local.get $query) (i32.shl (local.get $at) (i32.const 1)))))))
          (local.set $at (i32.add (local.get $at) (i32.const 16)))
          (br_if $dimension (i32.lt_u (local.get $at) (local.get $dimensions))))
        (local.set $low (i32x4.add (local.get $low) (local.get $high)))
        (i32.store (local.get $sums)
          (i32.add
            (i32.add (i32x4.extract_lane 0 (local.get $low)) (i32x4.extract_lane 1 (local.get $low)))
            (i32.add (i32x4.extract_lane 2 (local.get $low)) (i32x4.extract_lane 3 (local.get $low)))))
        (local.set $sums (i32.add (local.get $sums) (i32.const 4)))
        (local.set $vectors (i32.add (local.get $vectors) (local.get $dimensions)))
        (br $vector)))))
