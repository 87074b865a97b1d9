;; Dot products of one vector of 16-bit integers with many, by SIMD (WebAssembly SIMD, i32x4.dot_i16x8_s).
;; Compiled to similarity-kernel.wasm; similarity-kernel.test.ts compares the two.
(module
  ;; 16 GiB at most, the limit of V8.
  (import "env" "memory" (memory i64 1 262144 shared))

  ;; Where the $i-th vector of a list begins.
  (func $placeOf (param $list i32) (param $i i32) (param $first i32) (param $bytes i32) (result i64)
    (i64.add
      (i64.extend_i32_u (local.get $first))
      (i64.mul
        (i64.extend_i32_u (local.get $bytes))
        (i64.load32_u (i64.extend_i32_u (i32.add (local.get $list) (i32.shl (local.get $i) (i32.const 2))))))))

  ;; For each of $count numbers (32 bits) at $list: the dot product of the vector at $query with the vector of that number, written to $products.
  ;; Vectors lie one after the other from $first on; each takes $bytes, a multiple of 64. The sums fit into 32 bits, because vectors are at most
  ;; 32767 long (Cauchy-Schwarz).
  (func (export "dotProducts")
    (param $query i32) (param $list i32) (param $count i32) (param $products i32) (param $first i32) (param $bytes i32)
    (local $i i32) (local $group i32) (local $next i32) (local $read i32) (local $a i64) (local $b i64) (local $end i64) (local $even v128) (local $odd v128)
    (block $done
      (loop $each
        (br_if $done (i32.ge_u (local.get $i) (local.get $count)))
        (if (i32.eq (local.get $i) (local.get $group)) (then
          ;; A byte of each line of the next vectors is read first: none of these reads waits for another, as the sums do, so the memory answers
          ;; many at once. Vectors that lie anywhere are compared more than twice as quickly.
          (local.set $group (i32.add (local.get $i) (i32.const 16)))
          (if (i32.gt_u (local.get $group) (local.get $count)) (then (local.set $group (local.get $count))))
          (local.set $next (local.get $i))
          (loop $ahead
            (local.set $a (call $placeOf (local.get $list) (local.get $next) (local.get $first) (local.get $bytes)))
            (local.set $end (i64.add (local.get $a) (i64.extend_i32_u (local.get $bytes))))
            (loop $lines
              (local.set $read (i32.add (local.get $read) (i32.load8_u (local.get $a))))
              (local.set $a (i64.add (local.get $a) (i64.const 64)))
              (br_if $lines (i64.lt_u (local.get $a) (local.get $end))))
            (local.set $next (i32.add (local.get $next) (i32.const 1)))
            (br_if $ahead (i32.lt_u (local.get $next) (local.get $group))))
          ;; Stored, so that no compiler leaves the reads out; the product takes its place.
          (i32.store
            (i64.extend_i32_u (i32.add (local.get $products) (i32.shl (local.get $i) (i32.const 2))))
            (local.get $read))))
        (local.set $a (call $placeOf (local.get $list) (local.get $i) (local.get $first) (local.get $bytes)))
        (local.set $b (i64.extend_i32_u (local.get $query)))
        (local.set $end (i64.add (local.get $b) (i64.extend_i32_u (local.get $bytes))))
        (local.set $even (v128.const i32x4 0 0 0 0))
        (local.set $odd (v128.const i32x4 0 0 0 0))
        (loop $dimensions
          (local.set $even (i32x4.add (local.get $even)
            (i32x4.dot_i16x8_s (v128.load (local.get $a)) (v128.load (local.get $b)))))
          (local.set $odd (i32x4.add (local.get $odd)
            (i32x4.dot_i16x8_s (v128.load offset=16 (local.get $a)) (v128.load offset=16 (local.get $b)))))
          (local.set $even (i32x4.add (local.get $even)
            (i32x4.dot_i16x8_s (v128.load offset=32 (local.get $a)) (v128.load offset=32 (local.get $b)))))
          (local.set $odd (i32x4.add (local.get $odd)
            (i32x4.dot_i16x8_s (v128.load offset=48 (local.get $a)) (v128.load offset=48 (local.get $b)))))
          (local.set $a (i64.add (local.get $a) (i64.const 64)))
          (local.set $b (i64.add (local.get $b) (i64.const 64)))
          (br_if $dimensions (i64.lt_u (local.get $b) (local.get $end))))
        (local.set $even (i32x4.add (local.get $even) (local.get $odd)))
        (i32.store
          (i64.extend_i32_u (i32.add (local.get $products) (i32.shl (local.get $i) (i32.const 2))))
          (i32.add
            (i32.add (i32x4.extract_lane 0 (local.get $even)) (i32x4.extract_lane 1 (local.get $even)))
            (i32.add (i32x4.extract_lane 2 (local.get $even)) (i32x4.extract_lane 3 (local.get $even)))))
        (local.set $i (i32.add (local.get $i) (i32.const 1)))
        (br $each)))))
