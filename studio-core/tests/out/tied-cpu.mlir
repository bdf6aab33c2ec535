module @llama {
  util.global private @rope = #stream.parameter.named<"model"::"rope"> : tensor<64x2x2x4xf32>
  util.global private @"token_embd.weight" = #stream.parameter.named<"model"::"token_embd.weight"> : tensor<3072xi8>
  util.global private @"blk.0.attn_norm.weight" = #stream.parameter.named<"model"::"blk.0.attn_norm.weight"> : tensor<32xf32>
  util.global private @"blk.0.attn_q.weight" = #stream.parameter.named<"model"::"blk.0.attn_q.weight"> : tensor<2048xi8>
  util.global private @"blk.0.attn_k.weight" = #stream.parameter.named<"model"::"blk.0.attn_k.weight"> : tensor<1024xi8>
  util.global private @"blk.0.attn_v.weight" = #stream.parameter.named<"model"::"blk.0.attn_v.weight"> : tensor<1024xi8>
  util.global private @"blk.0.attn_output.weight" = #stream.parameter.named<"model"::"blk.0.attn_output.weight"> : tensor<2048xi8>
  util.global private @"blk.0.ffn_norm.weight" = #stream.parameter.named<"model"::"blk.0.ffn_norm.weight"> : tensor<32xf32>
  util.global private @"blk.0.ffn_gate.weight" = #stream.parameter.named<"model"::"blk.0.ffn_gate.weight"> : tensor<3072xi8>
  util.global private @"blk.0.ffn_up.weight" = #stream.parameter.named<"model"::"blk.0.ffn_up.weight"> : tensor<3072xi8>
  util.global private @"blk.0.ffn_down.weight" = #stream.parameter.named<"model"::"blk.0.ffn_down.weight"> : tensor<2560xi8>
  util.global private @"blk.1.attn_norm.weight" = #stream.parameter.named<"model"::"blk.1.attn_norm.weight"> : tensor<32xf32>
  util.global private @"blk.1.attn_q.weight" = #stream.parameter.named<"model"::"blk.1.attn_q.weight"> : tensor<2048xi8>
  util.global private @"blk.1.attn_k.weight" = #stream.parameter.named<"model"::"blk.1.attn_k.weight"> : tensor<1024xi8>
  util.global private @"blk.1.attn_v.weight" = #stream.parameter.named<"model"::"blk.1.attn_v.weight"> : tensor<1024xi8>
  util.global private @"blk.1.attn_output.weight" = #stream.parameter.named<"model"::"blk.1.attn_output.weight"> : tensor<2048xi8>
  util.global private @"blk.1.ffn_norm.weight" = #stream.parameter.named<"model"::"blk.1.ffn_norm.weight"> : tensor<32xf32>
  util.global private @"blk.1.ffn_gate.weight" = #stream.parameter.named<"model"::"blk.1.ffn_gate.weight"> : tensor<3072xi8>
  util.global private @"blk.1.ffn_up.weight" = #stream.parameter.named<"model"::"blk.1.ffn_up.weight"> : tensor<3072xi8>
  util.global private @"blk.1.ffn_down.weight" = #stream.parameter.named<"model"::"blk.1.ffn_down.weight"> : tensor<2560xi8>
  util.global private @"output_norm.weight" = #stream.parameter.named<"model"::"output_norm.weight"> : tensor<32xf32>

  stream.executable private @kernels attributes {hal.executable.objects = #hal.executable.objects<{#hal.executable.target<"llvm-cpu", "embedded-elf-x86_64"> = [#hal.executable.object<{path = "kernels.bc", data = dense<"0x4243C0DE20616E6420736F206F6E0000"> : vector<16xi8>}>]}>} {
    stream.executable.export public @prefill_0 workgroups() -> (index, index, index) {
      %workgroups = arith.constant 64 : index
      %one = arith.constant 1 : index
      stream.return %workgroups, %one, %one : index, index, index
    }
    stream.executable.export public @decode_0 workgroups() -> (index, index, index) {
      %workgroups = arith.constant 64 : index
      %one = arith.constant 1 : index
      stream.return %workgroups, %one, %one : index, index, index
    }
    builtin.module {
      func.func private @append_f16(memref<i32>, index, index, memref<f32>, index, memref<f32>, index, memref<f16>, index, memref<f32>, index, index, index, index, index, index, index, index) attributes {hal.import.static, llvm.bareptr = true}
      func.func private @argmax(memref<i32>, index, index, memref<f32>, index, memref<i32>, index, index, index) attributes {hal.import.static, llvm.bareptr = true}
      func.func private @attend_chunk_f16(memref<i32>, index, index, memref<f32>, index, memref<f16>, index, memref<f32>, index, memref<f32>, index, index, index, index, index, index, index, index, index, index, index, f32, f32) attributes {hal.import.static, llvm.bareptr = true}
      func.func private @attend_f16(memref<i32>, index, index, memref<f32>, index, memref<f32>, index, memref<f32>, index, memref<f16>, index, memref<f32>, index, memref<f32>, index, memref<f32>, index, index, index, index, index, index, index, index, index, f32, f32) attributes {hal.import.static, llvm.bareptr = true}
      func.func private @embed_f16(memref<i32>, index, index, memref<i8>, index, memref<i32>, index, memref<f32>, index, index, index, index, index, index, f32) attributes {hal.import.static, llvm.bareptr = true}
      func.func private @gated_matmul_f16_f32(memref<i32>, index, index, memref<i8>, index, memref<i8>, index, memref<f32>, index, memref<f32>, index, index, index, index, index) attributes {hal.import.static, llvm.bareptr = true}
      func.func private @gated_matvec_f16_f32(memref<i32>, index, index, memref<i8>, index, memref<i8>, index, memref<f32>, index, memref<f32>, index, memref<f32>, index, memref<f32>, index, index, index, index, index, f32) attributes {hal.import.static, llvm.bareptr = true}
      func.func private @matmul_f16_f32(memref<i32>, index, index, memref<i8>, index, memref<f32>, index, memref<f32>, index, memref<f32>, index, memref<f32>, index, index, index, index, index, f32) attributes {hal.import.static, llvm.bareptr = true}
      func.func private @matvec_f16_f32(memref<i32>, index, index, memref<i8>, index, memref<f32>, index, memref<f32>, index, memref<f32>, index, memref<f32>, index, memref<f32>, index, memref<f32>, index, index, index, index, index, f32, f32) attributes {hal.import.static, llvm.bareptr = true}
      func.func private @prepare_f32(memref<i32>, index, index, memref<f32>, index, memref<f32>, index, memref<f32>, index, memref<f32>, index, index, index, index, f32) attributes {hal.import.static, llvm.bareptr = true}
      func.func private @wait(memref<i32>, index, index) attributes {hal.import.static, llvm.bareptr = true}
      func.func @prefill_0(%binding0: !stream.binding, %binding1: !stream.binding, %binding2: !stream.binding, %binding3: !stream.binding, %binding4: !stream.binding, %binding5: !stream.binding, %binding6: !stream.binding, %binding7: !stream.binding, %binding8: !stream.binding, %binding9: !stream.binding, %binding10: !stream.binding, %binding11: !stream.binding, %binding12: !stream.binding, %binding13: !stream.binding, %binding14: !stream.binding, %binding15: !stream.binding, %binding16: !stream.binding, %binding17: !stream.binding, %binding18: !stream.binding, %binding19: !stream.binding, %binding20: !stream.binding, %binding21: !stream.binding, %binding22: !stream.binding, %binding23: !stream.binding, %binding24: !stream.binding, %binding25: !stream.binding, %binding26: !stream.binding, %position: index, %count: index) {
        %i0 = arith.constant 0 : index
        %i1 = arith.constant 1 : index
        %i2 = arith.constant 2 : index
        %i3 = arith.constant 3 : index
        %i4 = arith.constant 4 : index
        %i5 = arith.constant 5 : index
        %i6 = arith.constant 6 : index
        %i7 = arith.constant 7 : index
        %i8 = arith.constant 8 : index
        %i9 = arith.constant 9 : index
        %i10 = arith.constant 10 : index
        %i11 = arith.constant 11 : index
        %i12 = arith.constant 12 : index
        %i13 = arith.constant 13 : index
        %i14 = arith.constant 14 : index
        %i15 = arith.constant 15 : index
        %i16 = arith.constant 16 : index
        %i17 = arith.constant 17 : index
        %i18 = arith.constant 18 : index
        %i19 = arith.constant 19 : index
        %i20 = arith.constant 20 : index
        %i21 = arith.constant 21 : index
        %i22 = arith.constant 22 : index
        %i32 = arith.constant 32 : index
        %i40 = arith.constant 40 : index
        %i48 = arith.constant 48 : index
        %i64 = arith.constant 64 : index
        %i128 = arith.constant 128 : index
        %i256 = arith.constant 256 : index
        %i354 = arith.constant 354 : index
        %i384 = arith.constant 384 : index
        %i448 = arith.constant 448 : index
        %i512 = arith.constant 512 : index
        %i576 = arith.constant 576 : index
        %f00000000 = arith.constant 0.0 : f32
        %f3727c5ac = arith.constant 1.0e-5 : f32
        %f3eb504f3 = arith.constant 0.35355338 : f32
        %f3f800000 = arith.constant 1.0 : f32
        %memory0 = stream.binding.subspan %binding0[%i0] : !stream.binding -> memref<368xi32>
        %base0, %offset0, %size0, %stride0 = iree_codegen.extract_strided_metadata %memory0 : memref<368xi32> -> memref<i32>, index, index, index
        %memory1 = stream.binding.subspan %binding1[%i0] : !stream.binding -> memref<1024xf32>
        %base1, %offset1, %size1, %stride1 = iree_codegen.extract_strided_metadata %memory1 : memref<1024xf32> -> memref<f32>, index, index, index
        %memory2 = stream.binding.subspan %binding2[%i0] : !stream.binding -> memref<3072xi8>
        %base2, %offset2, %size2, %stride2 = iree_codegen.extract_strided_metadata %memory2 : memref<3072xi8> -> memref<i8>, index, index, index
        %memory3 = stream.binding.subspan %binding3[%i0] : !stream.binding -> memref<32xf32>
        %base3, %offset3, %size3, %stride3 = iree_codegen.extract_strided_metadata %memory3 : memref<32xf32> -> memref<f32>, index, index, index
        %memory4 = stream.binding.subspan %binding4[%i0] : !stream.binding -> memref<2048xi8>
        %base4, %offset4, %size4, %stride4 = iree_codegen.extract_strided_metadata %memory4 : memref<2048xi8> -> memref<i8>, index, index, index
        %memory5 = stream.binding.subspan %binding5[%i0] : !stream.binding -> memref<1024xi8>
        %base5, %offset5, %size5, %stride5 = iree_codegen.extract_strided_metadata %memory5 : memref<1024xi8> -> memref<i8>, index, index, index
        %memory6 = stream.binding.subspan %binding6[%i0] : !stream.binding -> memref<1024xi8>
        %base6, %offset6, %size6, %stride6 = iree_codegen.extract_strided_metadata %memory6 : memref<1024xi8> -> memref<i8>, index, index, index
        %memory7 = stream.binding.subspan %binding7[%i0] : !stream.binding -> memref<2048xi8>
        %base7, %offset7, %size7, %stride7 = iree_codegen.extract_strided_metadata %memory7 : memref<2048xi8> -> memref<i8>, index, index, index
        %memory8 = stream.binding.subspan %binding8[%i0] : !stream.binding -> memref<32xf32>
        %base8, %offset8, %size8, %stride8 = iree_codegen.extract_strided_metadata %memory8 : memref<32xf32> -> memref<f32>, index, index, index
        %memory9 = stream.binding.subspan %binding9[%i0] : !stream.binding -> memref<3072xi8>
        %base9, %offset9, %size9, %stride9 = iree_codegen.extract_strided_metadata %memory9 : memref<3072xi8> -> memref<i8>, index, index, index
        %memory10 = stream.binding.subspan %binding10[%i0] : !stream.binding -> memref<3072xi8>
        %base10, %offset10, %size10, %stride10 = iree_codegen.extract_strided_metadata %memory10 : memref<3072xi8> -> memref<i8>, index, index, index
        %memory11 = stream.binding.subspan %binding11[%i0] : !stream.binding -> memref<2560xi8>
        %base11, %offset11, %size11, %stride11 = iree_codegen.extract_strided_metadata %memory11 : memref<2560xi8> -> memref<i8>, index, index, index
        %memory12 = stream.binding.subspan %binding12[%i0] : !stream.binding -> memref<32xf32>
        %base12, %offset12, %size12, %stride12 = iree_codegen.extract_strided_metadata %memory12 : memref<32xf32> -> memref<f32>, index, index, index
        %memory13 = stream.binding.subspan %binding13[%i0] : !stream.binding -> memref<2048xi8>
        %base13, %offset13, %size13, %stride13 = iree_codegen.extract_strided_metadata %memory13 : memref<2048xi8> -> memref<i8>, index, index, index
        %memory14 = stream.binding.subspan %binding14[%i0] : !stream.binding -> memref<1024xi8>
        %base14, %offset14, %size14, %stride14 = iree_codegen.extract_strided_metadata %memory14 : memref<1024xi8> -> memref<i8>, index, index, index
        %memory15 = stream.binding.subspan %binding15[%i0] : !stream.binding -> memref<1024xi8>
        %base15, %offset15, %size15, %stride15 = iree_codegen.extract_strided_metadata %memory15 : memref<1024xi8> -> memref<i8>, index, index, index
        %memory16 = stream.binding.subspan %binding16[%i0] : !stream.binding -> memref<2048xi8>
        %base16, %offset16, %size16, %stride16 = iree_codegen.extract_strided_metadata %memory16 : memref<2048xi8> -> memref<i8>, index, index, index
        %memory17 = stream.binding.subspan %binding17[%i0] : !stream.binding -> memref<32xf32>
        %base17, %offset17, %size17, %stride17 = iree_codegen.extract_strided_metadata %memory17 : memref<32xf32> -> memref<f32>, index, index, index
        %memory18 = stream.binding.subspan %binding18[%i0] : !stream.binding -> memref<3072xi8>
        %base18, %offset18, %size18, %stride18 = iree_codegen.extract_strided_metadata %memory18 : memref<3072xi8> -> memref<i8>, index, index, index
        %memory19 = stream.binding.subspan %binding19[%i0] : !stream.binding -> memref<3072xi8>
        %base19, %offset19, %size19, %stride19 = iree_codegen.extract_strided_metadata %memory19 : memref<3072xi8> -> memref<i8>, index, index, index
        %memory20 = stream.binding.subspan %binding20[%i0] : !stream.binding -> memref<2560xi8>
        %base20, %offset20, %size20, %stride20 = iree_codegen.extract_strided_metadata %memory20 : memref<2560xi8> -> memref<i8>, index, index, index
        %memory21 = stream.binding.subspan %binding21[%i0] : !stream.binding -> memref<32xf32>
        %base21, %offset21, %size21, %stride21 = iree_codegen.extract_strided_metadata %memory21 : memref<32xf32> -> memref<f32>, index, index, index
        %memory22 = stream.binding.subspan %binding22[%i0] : !stream.binding -> memref<4xi32>
        %base22, %offset22, %size22, %stride22 = iree_codegen.extract_strided_metadata %memory22 : memref<4xi32> -> memref<i32>, index, index, index
        %memory23 = stream.binding.subspan %binding23[%i0] : !stream.binding -> memref<4096xf16>
        %base23, %offset23, %size23, %stride23 = iree_codegen.extract_strided_metadata %memory23 : memref<4096xf16> -> memref<f16>, index, index, index
        %memory24 = stream.binding.subspan %binding24[%i0] : !stream.binding -> memref<672xf32>
        %base24, %offset24, %size24, %stride24 = iree_codegen.extract_strided_metadata %memory24 : memref<672xf32> -> memref<f32>, index, index, index
        %memory25 = stream.binding.subspan %binding25[%i0] : !stream.binding -> memref<1xi32>
        %base25, %offset25, %size25, %stride25 = iree_codegen.extract_strided_metadata %memory25 : memref<1xi32> -> memref<i32>, index, index, index
        %memory26 = stream.binding.subspan %binding26[%i0] : !stream.binding -> memref<48xf32>
        %base26, %offset26, %size26, %stride26 = iree_codegen.extract_strided_metadata %memory26 : memref<48xf32> -> memref<f32>, index, index, index
        %complete = memref.load %memory0[%i354] : memref<368xi32>
        %zero = arith.constant 0 : i32
        %open = arith.cmpi eq, %complete, %zero : i32
        scf.if %open {
          // embedding
          func.call @embed_f16(%base0, %offset0, %i0, %base2, %offset2, %base22, %offset22, %base24, %offset24, %count, %i32, %i48, %i1, %i0, %f3f800000) : (memref<i32>, index, index, memref<i8>, index, memref<i32>, index, memref<f32>, index, index, index, index, index, index, f32) -> ()
          // layer 0 / attention / q_proj
          func.call @wait(%base0, %offset0, %i0) : (memref<i32>, index, index) -> ()
          %a1_3 = arith.addi %offset24, %i128 : index
          func.call @prepare_f32(%base0, %offset0, %i1, %base24, %offset24, %base24, %offset24, %base3, %offset3, %base24, %a1_3, %count, %i32, %i1, %f3727c5ac) : (memref<i32>, index, index, memref<f32>, index, memref<f32>, index, memref<f32>, index, memref<f32>, index, index, index, index, f32) -> ()
          func.call @wait(%base0, %offset0, %i1) : (memref<i32>, index, index) -> ()
          %a2_1 = arith.addi %offset24, %i128 : index
          %a2_4 = arith.addi %offset24, %i256 : index
          func.call @matmul_f16_f32(%base0, %offset0, %i2, %base4, %offset4, %base24, %a2_1, %base24, %offset24, %base24, %offset24, %base24, %a2_4, %count, %i32, %i32, %i0, %f3f800000) : (memref<i32>, index, index, memref<i8>, index, memref<f32>, index, memref<f32>, index, memref<f32>, index, memref<f32>, index, index, index, index, index, f32) -> ()
          // layer 0 / attention / k_proj
          %a3_1 = arith.addi %offset24, %i128 : index
          %a3_4 = arith.addi %offset24, %i384 : index
          func.call @matmul_f16_f32(%base0, %offset0, %i3, %base5, %offset5, %base24, %a3_1, %base24, %offset24, %base24, %offset24, %base24, %a3_4, %count, %i32, %i16, %i0, %f3f800000) : (memref<i32>, index, index, memref<i8>, index, memref<f32>, index, memref<f32>, index, memref<f32>, index, memref<f32>, index, index, index, index, index, f32) -> ()
          // layer 0 / attention / v_proj
          %a4_1 = arith.addi %offset24, %i128 : index
          %a4_4 = arith.addi %offset24, %i448 : index
          func.call @matmul_f16_f32(%base0, %offset0, %i4, %base6, %offset6, %base24, %a4_1, %base24, %offset24, %base24, %offset24, %base24, %a4_4, %count, %i32, %i16, %i0, %f3f800000) : (memref<i32>, index, index, memref<i8>, index, memref<f32>, index, memref<f32>, index, memref<f32>, index, memref<f32>, index, index, index, index, index, f32) -> ()
          // layer 0 / attention
          func.call @wait(%base0, %offset0, %i3) : (memref<i32>, index, index) -> ()
          func.call @wait(%base0, %offset0, %i4) : (memref<i32>, index, index) -> ()
          %a5_0 = arith.addi %offset24, %i384 : index
          %a5_1 = arith.addi %offset24, %i448 : index
          func.call @append_f16(%base0, %offset0, %i5, %base24, %a5_0, %base24, %a5_1, %base23, %offset23, %base1, %offset1, %count, %position, %i0, %i2, %i8, %i8, %i64) : (memref<i32>, index, index, memref<f32>, index, memref<f32>, index, memref<f16>, index, memref<f32>, index, index, index, index, index, index, index, index) -> ()
          func.call @wait(%base0, %offset0, %i2) : (memref<i32>, index, index) -> ()
          func.call @wait(%base0, %offset0, %i5) : (memref<i32>, index, index) -> ()
          %a6_0 = arith.addi %offset24, %i256 : index
          %a6_3 = arith.addi %offset24, %i128 : index
          func.call @attend_chunk_f16(%base0, %offset0, %i6, %base24, %a6_0, %base23, %offset23, %base1, %offset1, %base24, %a6_3, %count, %position, %i0, %i4, %i2, %i8, %i8, %i64, %i0, %i0, %f3eb504f3, %f00000000) : (memref<i32>, index, index, memref<f32>, index, memref<f16>, index, memref<f32>, index, memref<f32>, index, index, index, index, index, index, index, index, index, index, index, f32, f32) -> ()
          // layer 0
          func.call @wait(%base0, %offset0, %i6) : (memref<i32>, index, index) -> ()
          %a7_1 = arith.addi %offset24, %i128 : index
          %a7_4 = arith.addi %offset24, %i256 : index
          func.call @matmul_f16_f32(%base0, %offset0, %i7, %base7, %offset7, %base24, %a7_1, %base24, %offset24, %base24, %offset24, %base24, %a7_4, %count, %i32, %i32, %i2, %f3f800000) : (memref<i32>, index, index, memref<i8>, index, memref<f32>, index, memref<f32>, index, memref<f32>, index, memref<f32>, index, index, index, index, index, f32) -> ()
          // layer 0 / mlp
          func.call @wait(%base0, %offset0, %i7) : (memref<i32>, index, index) -> ()
          %a8_0 = arith.addi %offset24, %i256 : index
          %a8_3 = arith.addi %offset24, %i128 : index
          func.call @prepare_f32(%base0, %offset0, %i8, %base24, %a8_0, %base24, %offset24, %base8, %offset8, %base24, %a8_3, %count, %i32, %i1, %f3727c5ac) : (memref<i32>, index, index, memref<f32>, index, memref<f32>, index, memref<f32>, index, memref<f32>, index, index, index, index, f32) -> ()
          func.call @wait(%base0, %offset0, %i8) : (memref<i32>, index, index) -> ()
          %a9_2 = arith.addi %offset24, %i128 : index
          %a9_3 = arith.addi %offset24, %i384 : index
          func.call @gated_matmul_f16_f32(%base0, %offset0, %i9, %base9, %offset9, %base10, %offset10, %base24, %a9_2, %base24, %a9_3, %count, %i32, %i40, %i0) : (memref<i32>, index, index, memref<i8>, index, memref<i8>, index, memref<f32>, index, memref<f32>, index, index, index, index, index) -> ()
          // layer 0
          func.call @wait(%base0, %offset0, %i9) : (memref<i32>, index, index) -> ()
          %a10_1 = arith.addi %offset24, %i384 : index
          %a10_3 = arith.addi %offset24, %i256 : index
          %a10_4 = arith.addi %offset24, %i128 : index
          func.call @matmul_f16_f32(%base0, %offset0, %i10, %base11, %offset11, %base24, %a10_1, %base24, %offset24, %base24, %a10_3, %base24, %a10_4, %count, %i40, %i32, %i2, %f3f800000) : (memref<i32>, index, index, memref<i8>, index, memref<f32>, index, memref<f32>, index, memref<f32>, index, memref<f32>, index, index, index, index, index, f32) -> ()
          // layer 1 / attention / q_proj
          func.call @wait(%base0, %offset0, %i10) : (memref<i32>, index, index) -> ()
          %a11_0 = arith.addi %offset24, %i128 : index
          %a11_3 = arith.addi %offset24, %i256 : index
          func.call @prepare_f32(%base0, %offset0, %i11, %base24, %a11_0, %base24, %offset24, %base12, %offset12, %base24, %a11_3, %count, %i32, %i1, %f3727c5ac) : (memref<i32>, index, index, memref<f32>, index, memref<f32>, index, memref<f32>, index, memref<f32>, index, index, index, index, f32) -> ()
          func.call @wait(%base0, %offset0, %i11) : (memref<i32>, index, index) -> ()
          %a12_1 = arith.addi %offset24, %i256 : index
          %a12_4 = arith.addi %offset24, %i384 : index
          func.call @matmul_f16_f32(%base0, %offset0, %i12, %base13, %offset13, %base24, %a12_1, %base24, %offset24, %base24, %offset24, %base24, %a12_4, %count, %i32, %i32, %i0, %f3f800000) : (memref<i32>, index, index, memref<i8>, index, memref<f32>, index, memref<f32>, index, memref<f32>, index, memref<f32>, index, index, index, index, index, f32) -> ()
          // layer 1 / attention / k_proj
          %a13_1 = arith.addi %offset24, %i256 : index
          %a13_4 = arith.addi %offset24, %i512 : index
          func.call @matmul_f16_f32(%base0, %offset0, %i13, %base14, %offset14, %base24, %a13_1, %base24, %offset24, %base24, %offset24, %base24, %a13_4, %count, %i32, %i16, %i0, %f3f800000) : (memref<i32>, index, index, memref<i8>, index, memref<f32>, index, memref<f32>, index, memref<f32>, index, memref<f32>, index, index, index, index, index, f32) -> ()
          // layer 1 / attention / v_proj
          %a14_1 = arith.addi %offset24, %i256 : index
          %a14_4 = arith.addi %offset24, %i576 : index
          func.call @matmul_f16_f32(%base0, %offset0, %i14, %base15, %offset15, %base24, %a14_1, %base24, %offset24, %base24, %offset24, %base24, %a14_4, %count, %i32, %i16, %i0, %f3f800000) : (memref<i32>, index, index, memref<i8>, index, memref<f32>, index, memref<f32>, index, memref<f32>, index, memref<f32>, index, index, index, index, index, f32) -> ()
          // layer 1 / attention
          func.call @wait(%base0, %offset0, %i13) : (memref<i32>, index, index) -> ()
          func.call @wait(%base0, %offset0, %i14) : (memref<i32>, index, index) -> ()
          %a15_0 = arith.addi %offset24, %i512 : index
          %a15_1 = arith.addi %offset24, %i576 : index
          func.call @append_f16(%base0, %offset0, %i15, %base24, %a15_0, %base24, %a15_1, %base23, %offset23, %base1, %offset1, %count, %position, %i1, %i2, %i8, %i8, %i64) : (memref<i32>, index, index, memref<f32>, index, memref<f32>, index, memref<f16>, index, memref<f32>, index, index, index, index, index, index, index, index) -> ()
          func.call @wait(%base0, %offset0, %i12) : (memref<i32>, index, index) -> ()
          func.call @wait(%base0, %offset0, %i15) : (memref<i32>, index, index) -> ()
          %a16_0 = arith.addi %offset24, %i384 : index
          %a16_3 = arith.addi %offset24, %i256 : index
          func.call @attend_chunk_f16(%base0, %offset0, %i16, %base24, %a16_0, %base23, %offset23, %base1, %offset1, %base24, %a16_3, %count, %position, %i1, %i4, %i2, %i8, %i8, %i64, %i0, %i0, %f3eb504f3, %f00000000) : (memref<i32>, index, index, memref<f32>, index, memref<f16>, index, memref<f32>, index, memref<f32>, index, index, index, index, index, index, index, index, index, index, index, f32, f32) -> ()
          // layer 1
          func.call @wait(%base0, %offset0, %i16) : (memref<i32>, index, index) -> ()
          %a17_1 = arith.addi %offset24, %i256 : index
          %a17_3 = arith.addi %offset24, %i128 : index
          %a17_4 = arith.addi %offset24, %i384 : index
          func.call @matmul_f16_f32(%base0, %offset0, %i17, %base16, %offset16, %base24, %a17_1, %base24, %offset24, %base24, %a17_3, %base24, %a17_4, %count, %i32, %i32, %i2, %f3f800000) : (memref<i32>, index, index, memref<i8>, index, memref<f32>, index, memref<f32>, index, memref<f32>, index, memref<f32>, index, index, index, index, index, f32) -> ()
          // layer 1 / mlp
          func.call @wait(%base0, %offset0, %i17) : (memref<i32>, index, index) -> ()
          %a18_0 = arith.addi %offset24, %i384 : index
          %a18_3 = arith.addi %offset24, %i128 : index
          func.call @prepare_f32(%base0, %offset0, %i18, %base24, %a18_0, %base24, %offset24, %base17, %offset17, %base24, %a18_3, %count, %i32, %i1, %f3727c5ac) : (memref<i32>, index, index, memref<f32>, index, memref<f32>, index, memref<f32>, index, memref<f32>, index, index, index, index, f32) -> ()
          func.call @wait(%base0, %offset0, %i18) : (memref<i32>, index, index) -> ()
          %a19_2 = arith.addi %offset24, %i128 : index
          %a19_3 = arith.addi %offset24, %i512 : index
          func.call @gated_matmul_f16_f32(%base0, %offset0, %i19, %base18, %offset18, %base19, %offset19, %base24, %a19_2, %base24, %a19_3, %count, %i32, %i40, %i0) : (memref<i32>, index, index, memref<i8>, index, memref<i8>, index, memref<f32>, index, memref<f32>, index, index, index, index, index) -> ()
          // layer 1
          func.call @wait(%base0, %offset0, %i19) : (memref<i32>, index, index) -> ()
          %a20_1 = arith.addi %offset24, %i512 : index
          %a20_3 = arith.addi %offset24, %i384 : index
          %a20_4 = arith.addi %offset24, %i128 : index
          func.call @matmul_f16_f32(%base0, %offset0, %i20, %base20, %offset20, %base24, %a20_1, %base24, %offset24, %base24, %a20_3, %base24, %a20_4, %count, %i40, %i32, %i2, %f3f800000) : (memref<i32>, index, index, memref<i8>, index, memref<f32>, index, memref<f32>, index, memref<f32>, index, memref<f32>, index, index, index, index, index, f32) -> ()
          // output
          func.call @wait(%base0, %offset0, %i20) : (memref<i32>, index, index) -> ()
          %a21_1 = arith.addi %offset24, %i128 : index
          %a21_1_row = arith.subi %count, %i1 : index
          %a21_1_elements = arith.muli %a21_1_row, %i32 : index
          %a21_1_last = arith.addi %a21_1, %a21_1_elements : index
          func.call @matvec_f16_f32(%base0, %offset0, %i21, %base2, %offset2, %base24, %a21_1_last, %base24, %offset24, %base21, %offset21, %base24, %offset24, %base24, %offset24, %base26, %offset26, %i32, %i48, %i1, %i0, %f3727c5ac, %f3f800000) : (memref<i32>, index, index, memref<i8>, index, memref<f32>, index, memref<f32>, index, memref<f32>, index, memref<f32>, index, memref<f32>, index, memref<f32>, index, index, index, index, index, f32, f32) -> ()
          // model
          func.call @wait(%base0, %offset0, %i21) : (memref<i32>, index, index) -> ()
          func.call @argmax(%base0, %offset0, %i22, %base26, %offset26, %base25, %offset25, %i1, %i48) : (memref<i32>, index, index, memref<f32>, index, memref<i32>, index, index, index) -> ()
        }
        return
      }
      func.func @decode_0(%binding0: !stream.binding, %binding1: !stream.binding, %binding2: !stream.binding, %binding3: !stream.binding, %binding4: !stream.binding, %binding5: !stream.binding, %binding6: !stream.binding, %binding7: !stream.binding, %binding8: !stream.binding, %binding9: !stream.binding, %binding10: !stream.binding, %binding11: !stream.binding, %binding12: !stream.binding, %binding13: !stream.binding, %binding14: !stream.binding, %binding15: !stream.binding, %binding16: !stream.binding, %binding17: !stream.binding, %binding18: !stream.binding, %binding19: !stream.binding, %binding20: !stream.binding, %binding21: !stream.binding, %binding22: !stream.binding, %binding23: !stream.binding, %binding24: !stream.binding, %binding25: !stream.binding, %binding26: !stream.binding, %position: index) {
        %i0 = arith.constant 0 : index
        %i1 = arith.constant 1 : index
        %i2 = arith.constant 2 : index
        %i3 = arith.constant 3 : index
        %i4 = arith.constant 4 : index
        %i5 = arith.constant 5 : index
        %i6 = arith.constant 6 : index
        %i7 = arith.constant 7 : index
        %i8 = arith.constant 8 : index
        %i9 = arith.constant 9 : index
        %i10 = arith.constant 10 : index
        %i11 = arith.constant 11 : index
        %i12 = arith.constant 12 : index
        %i13 = arith.constant 13 : index
        %i14 = arith.constant 14 : index
        %i15 = arith.constant 15 : index
        %i16 = arith.constant 16 : index
        %i32 = arith.constant 32 : index
        %i40 = arith.constant 40 : index
        %i48 = arith.constant 48 : index
        %i64 = arith.constant 64 : index
        %i80 = arith.constant 80 : index
        %i96 = arith.constant 96 : index
        %i112 = arith.constant 112 : index
        %i144 = arith.constant 144 : index
        %i258 = arith.constant 258 : index
        %i736 = arith.constant 736 : index
        %i784 = arith.constant 784 : index
        %f00000000 = arith.constant 0.0 : f32
        %f3727c5ac = arith.constant 1.0e-5 : f32
        %f3eb504f3 = arith.constant 0.35355338 : f32
        %f3f800000 = arith.constant 1.0 : f32
        %memory0 = stream.binding.subspan %binding0[%i0] : !stream.binding -> memref<272xi32>
        %base0, %offset0, %size0, %stride0 = iree_codegen.extract_strided_metadata %memory0 : memref<272xi32> -> memref<i32>, index, index, index
        %memory1 = stream.binding.subspan %binding1[%i0] : !stream.binding -> memref<1024xf32>
        %base1, %offset1, %size1, %stride1 = iree_codegen.extract_strided_metadata %memory1 : memref<1024xf32> -> memref<f32>, index, index, index
        %memory2 = stream.binding.subspan %binding2[%i0] : !stream.binding -> memref<3072xi8>
        %base2, %offset2, %size2, %stride2 = iree_codegen.extract_strided_metadata %memory2 : memref<3072xi8> -> memref<i8>, index, index, index
        %memory3 = stream.binding.subspan %binding3[%i0] : !stream.binding -> memref<32xf32>
        %base3, %offset3, %size3, %stride3 = iree_codegen.extract_strided_metadata %memory3 : memref<32xf32> -> memref<f32>, index, index, index
        %memory4 = stream.binding.subspan %binding4[%i0] : !stream.binding -> memref<2048xi8>
        %base4, %offset4, %size4, %stride4 = iree_codegen.extract_strided_metadata %memory4 : memref<2048xi8> -> memref<i8>, index, index, index
        %memory5 = stream.binding.subspan %binding5[%i0] : !stream.binding -> memref<1024xi8>
        %base5, %offset5, %size5, %stride5 = iree_codegen.extract_strided_metadata %memory5 : memref<1024xi8> -> memref<i8>, index, index, index
        %memory6 = stream.binding.subspan %binding6[%i0] : !stream.binding -> memref<1024xi8>
        %base6, %offset6, %size6, %stride6 = iree_codegen.extract_strided_metadata %memory6 : memref<1024xi8> -> memref<i8>, index, index, index
        %memory7 = stream.binding.subspan %binding7[%i0] : !stream.binding -> memref<2048xi8>
        %base7, %offset7, %size7, %stride7 = iree_codegen.extract_strided_metadata %memory7 : memref<2048xi8> -> memref<i8>, index, index, index
        %memory8 = stream.binding.subspan %binding8[%i0] : !stream.binding -> memref<32xf32>
        %base8, %offset8, %size8, %stride8 = iree_codegen.extract_strided_metadata %memory8 : memref<32xf32> -> memref<f32>, index, index, index
        %memory9 = stream.binding.subspan %binding9[%i0] : !stream.binding -> memref<3072xi8>
        %base9, %offset9, %size9, %stride9 = iree_codegen.extract_strided_metadata %memory9 : memref<3072xi8> -> memref<i8>, index, index, index
        %memory10 = stream.binding.subspan %binding10[%i0] : !stream.binding -> memref<3072xi8>
        %base10, %offset10, %size10, %stride10 = iree_codegen.extract_strided_metadata %memory10 : memref<3072xi8> -> memref<i8>, index, index, index
        %memory11 = stream.binding.subspan %binding11[%i0] : !stream.binding -> memref<2560xi8>
        %base11, %offset11, %size11, %stride11 = iree_codegen.extract_strided_metadata %memory11 : memref<2560xi8> -> memref<i8>, index, index, index
        %memory12 = stream.binding.subspan %binding12[%i0] : !stream.binding -> memref<32xf32>
        %base12, %offset12, %size12, %stride12 = iree_codegen.extract_strided_metadata %memory12 : memref<32xf32> -> memref<f32>, index, index, index
        %memory13 = stream.binding.subspan %binding13[%i0] : !stream.binding -> memref<2048xi8>
        %base13, %offset13, %size13, %stride13 = iree_codegen.extract_strided_metadata %memory13 : memref<2048xi8> -> memref<i8>, index, index, index
        %memory14 = stream.binding.subspan %binding14[%i0] : !stream.binding -> memref<1024xi8>
        %base14, %offset14, %size14, %stride14 = iree_codegen.extract_strided_metadata %memory14 : memref<1024xi8> -> memref<i8>, index, index, index
        %memory15 = stream.binding.subspan %binding15[%i0] : !stream.binding -> memref<1024xi8>
        %base15, %offset15, %size15, %stride15 = iree_codegen.extract_strided_metadata %memory15 : memref<1024xi8> -> memref<i8>, index, index, index
        %memory16 = stream.binding.subspan %binding16[%i0] : !stream.binding -> memref<2048xi8>
        %base16, %offset16, %size16, %stride16 = iree_codegen.extract_strided_metadata %memory16 : memref<2048xi8> -> memref<i8>, index, index, index
        %memory17 = stream.binding.subspan %binding17[%i0] : !stream.binding -> memref<32xf32>
        %base17, %offset17, %size17, %stride17 = iree_codegen.extract_strided_metadata %memory17 : memref<32xf32> -> memref<f32>, index, index, index
        %memory18 = stream.binding.subspan %binding18[%i0] : !stream.binding -> memref<3072xi8>
        %base18, %offset18, %size18, %stride18 = iree_codegen.extract_strided_metadata %memory18 : memref<3072xi8> -> memref<i8>, index, index, index
        %memory19 = stream.binding.subspan %binding19[%i0] : !stream.binding -> memref<3072xi8>
        %base19, %offset19, %size19, %stride19 = iree_codegen.extract_strided_metadata %memory19 : memref<3072xi8> -> memref<i8>, index, index, index
        %memory20 = stream.binding.subspan %binding20[%i0] : !stream.binding -> memref<2560xi8>
        %base20, %offset20, %size20, %stride20 = iree_codegen.extract_strided_metadata %memory20 : memref<2560xi8> -> memref<i8>, index, index, index
        %memory21 = stream.binding.subspan %binding21[%i0] : !stream.binding -> memref<32xf32>
        %base21, %offset21, %size21, %stride21 = iree_codegen.extract_strided_metadata %memory21 : memref<32xf32> -> memref<f32>, index, index, index
        %memory22 = stream.binding.subspan %binding22[%i0] : !stream.binding -> memref<1xi32>
        %base22, %offset22, %size22, %stride22 = iree_codegen.extract_strided_metadata %memory22 : memref<1xi32> -> memref<i32>, index, index, index
        %memory23 = stream.binding.subspan %binding23[%i0] : !stream.binding -> memref<4096xf16>
        %base23, %offset23, %size23, %stride23 = iree_codegen.extract_strided_metadata %memory23 : memref<4096xf16> -> memref<f16>, index, index, index
        %memory24 = stream.binding.subspan %binding24[%i0] : !stream.binding -> memref<816xf32>
        %base24, %offset24, %size24, %stride24 = iree_codegen.extract_strided_metadata %memory24 : memref<816xf32> -> memref<f32>, index, index, index
        %memory25 = stream.binding.subspan %binding25[%i0] : !stream.binding -> memref<1xi32>
        %base25, %offset25, %size25, %stride25 = iree_codegen.extract_strided_metadata %memory25 : memref<1xi32> -> memref<i32>, index, index, index
        %memory26 = stream.binding.subspan %binding26[%i0] : !stream.binding -> memref<48xf32>
        %base26, %offset26, %size26, %stride26 = iree_codegen.extract_strided_metadata %memory26 : memref<48xf32> -> memref<f32>, index, index, index
        %complete = memref.load %memory0[%i258] : memref<272xi32>
        %zero = arith.constant 0 : i32
        %open = arith.cmpi eq, %complete, %zero : i32
        scf.if %open {
          // embedding
          func.call @embed_f16(%base0, %offset0, %i0, %base2, %offset2, %base22, %offset22, %base24, %offset24, %i1, %i32, %i48, %i1, %i0, %f3f800000) : (memref<i32>, index, index, memref<i8>, index, memref<i32>, index, memref<f32>, index, index, index, index, index, index, f32) -> ()
          // layer 0 / attention / q_proj
          func.call @wait(%base0, %offset0, %i0) : (memref<i32>, index, index) -> ()
          %a1_6 = arith.addi %offset24, %i32 : index
          func.call @matvec_f16_f32(%base0, %offset0, %i1, %base4, %offset4, %base24, %offset24, %base24, %offset24, %base3, %offset3, %base24, %offset24, %base24, %offset24, %base24, %a1_6, %i32, %i32, %i1, %i0, %f3727c5ac, %f3f800000) : (memref<i32>, index, index, memref<i8>, index, memref<f32>, index, memref<f32>, index, memref<f32>, index, memref<f32>, index, memref<f32>, index, memref<f32>, index, index, index, index, index, f32, f32) -> ()
          // layer 0 / attention / k_proj
          %a2_6 = arith.addi %offset24, %i64 : index
          func.call @matvec_f16_f32(%base0, %offset0, %i2, %base5, %offset5, %base24, %offset24, %base24, %offset24, %base3, %offset3, %base24, %offset24, %base24, %offset24, %base24, %a2_6, %i32, %i16, %i1, %i0, %f3727c5ac, %f3f800000) : (memref<i32>, index, index, memref<i8>, index, memref<f32>, index, memref<f32>, index, memref<f32>, index, memref<f32>, index, memref<f32>, index, memref<f32>, index, index, index, index, index, f32, f32) -> ()
          // layer 0 / attention / v_proj
          %a3_6 = arith.addi %offset24, %i80 : index
          func.call @matvec_f16_f32(%base0, %offset0, %i3, %base6, %offset6, %base24, %offset24, %base24, %offset24, %base3, %offset3, %base24, %offset24, %base24, %offset24, %base24, %a3_6, %i32, %i16, %i1, %i0, %f3727c5ac, %f3f800000) : (memref<i32>, index, index, memref<i8>, index, memref<f32>, index, memref<f32>, index, memref<f32>, index, memref<f32>, index, memref<f32>, index, memref<f32>, index, index, index, index, index, f32, f32) -> ()
          // layer 0 / attention
          func.call @wait(%base0, %offset0, %i1) : (memref<i32>, index, index) -> ()
          func.call @wait(%base0, %offset0, %i2) : (memref<i32>, index, index) -> ()
          func.call @wait(%base0, %offset0, %i3) : (memref<i32>, index, index) -> ()
          %a4_0 = arith.addi %offset24, %i32 : index
          %a4_1 = arith.addi %offset24, %i64 : index
          %a4_2 = arith.addi %offset24, %i80 : index
          %a4_5 = arith.addi %offset24, %i96 : index
          %a4_6 = arith.addi %offset24, %i736 : index
          func.call @attend_f16(%base0, %offset0, %i4, %base24, %a4_0, %base24, %a4_1, %base24, %a4_2, %base23, %offset23, %base1, %offset1, %base24, %a4_5, %base24, %a4_6, %position, %i0, %i4, %i2, %i8, %i8, %i64, %i0, %f3eb504f3, %f00000000) : (memref<i32>, index, index, memref<f32>, index, memref<f32>, index, memref<f32>, index, memref<f16>, index, memref<f32>, index, memref<f32>, index, memref<f32>, index, index, index, index, index, index, index, index, index, f32, f32) -> ()
          // layer 0
          func.call @wait(%base0, %offset0, %i4) : (memref<i32>, index, index) -> ()
          %a5_1 = arith.addi %offset24, %i736 : index
          %a5_6 = arith.addi %offset24, %i32 : index
          func.call @matvec_f16_f32(%base0, %offset0, %i5, %base7, %offset7, %base24, %a5_1, %base24, %offset24, %base24, %offset24, %base24, %offset24, %base24, %offset24, %base24, %a5_6, %i32, %i32, %i0, %i2, %f00000000, %f3f800000) : (memref<i32>, index, index, memref<i8>, index, memref<f32>, index, memref<f32>, index, memref<f32>, index, memref<f32>, index, memref<f32>, index, memref<f32>, index, index, index, index, index, f32, f32) -> ()
          // layer 0 / mlp
          func.call @wait(%base0, %offset0, %i5) : (memref<i32>, index, index) -> ()
          %a6_2 = arith.addi %offset24, %i32 : index
          %a6_5 = arith.addi %offset24, %i64 : index
          func.call @gated_matvec_f16_f32(%base0, %offset0, %i6, %base9, %offset9, %base10, %offset10, %base24, %a6_2, %base24, %offset24, %base8, %offset8, %base24, %a6_5, %i32, %i40, %i1, %i0, %f3727c5ac) : (memref<i32>, index, index, memref<i8>, index, memref<i8>, index, memref<f32>, index, memref<f32>, index, memref<f32>, index, memref<f32>, index, index, index, index, index, f32) -> ()
          // layer 0
          func.call @wait(%base0, %offset0, %i6) : (memref<i32>, index, index) -> ()
          %a7_1 = arith.addi %offset24, %i64 : index
          %a7_5 = arith.addi %offset24, %i32 : index
          %a7_6 = arith.addi %offset24, %i112 : index
          func.call @matvec_f16_f32(%base0, %offset0, %i7, %base11, %offset11, %base24, %a7_1, %base24, %offset24, %base24, %offset24, %base24, %offset24, %base24, %a7_5, %base24, %a7_6, %i40, %i32, %i0, %i2, %f00000000, %f3f800000) : (memref<i32>, index, index, memref<i8>, index, memref<f32>, index, memref<f32>, index, memref<f32>, index, memref<f32>, index, memref<f32>, index, memref<f32>, index, index, index, index, index, f32, f32) -> ()
          // layer 1 / attention / q_proj
          func.call @wait(%base0, %offset0, %i7) : (memref<i32>, index, index) -> ()
          %a8_1 = arith.addi %offset24, %i112 : index
          %a8_6 = arith.addi %offset24, %i32 : index
          func.call @matvec_f16_f32(%base0, %offset0, %i8, %base13, %offset13, %base24, %a8_1, %base24, %offset24, %base12, %offset12, %base24, %offset24, %base24, %offset24, %base24, %a8_6, %i32, %i32, %i1, %i0, %f3727c5ac, %f3f800000) : (memref<i32>, index, index, memref<i8>, index, memref<f32>, index, memref<f32>, index, memref<f32>, index, memref<f32>, index, memref<f32>, index, memref<f32>, index, index, index, index, index, f32, f32) -> ()
          // layer 1 / attention / k_proj
          %a9_1 = arith.addi %offset24, %i112 : index
          %a9_6 = arith.addi %offset24, %i64 : index
          func.call @matvec_f16_f32(%base0, %offset0, %i9, %base14, %offset14, %base24, %a9_1, %base24, %offset24, %base12, %offset12, %base24, %offset24, %base24, %offset24, %base24, %a9_6, %i32, %i16, %i1, %i0, %f3727c5ac, %f3f800000) : (memref<i32>, index, index, memref<i8>, index, memref<f32>, index, memref<f32>, index, memref<f32>, index, memref<f32>, index, memref<f32>, index, memref<f32>, index, index, index, index, index, f32, f32) -> ()
          // layer 1 / attention / v_proj
          %a10_1 = arith.addi %offset24, %i112 : index
          %a10_6 = arith.addi %offset24, %i80 : index
          func.call @matvec_f16_f32(%base0, %offset0, %i10, %base15, %offset15, %base24, %a10_1, %base24, %offset24, %base12, %offset12, %base24, %offset24, %base24, %offset24, %base24, %a10_6, %i32, %i16, %i1, %i0, %f3727c5ac, %f3f800000) : (memref<i32>, index, index, memref<i8>, index, memref<f32>, index, memref<f32>, index, memref<f32>, index, memref<f32>, index, memref<f32>, index, memref<f32>, index, index, index, index, index, f32, f32) -> ()
          // layer 1 / attention
          func.call @wait(%base0, %offset0, %i8) : (memref<i32>, index, index) -> ()
          func.call @wait(%base0, %offset0, %i9) : (memref<i32>, index, index) -> ()
          func.call @wait(%base0, %offset0, %i10) : (memref<i32>, index, index) -> ()
          %a11_0 = arith.addi %offset24, %i32 : index
          %a11_1 = arith.addi %offset24, %i64 : index
          %a11_2 = arith.addi %offset24, %i80 : index
          %a11_5 = arith.addi %offset24, %i144 : index
          %a11_6 = arith.addi %offset24, %i784 : index
          func.call @attend_f16(%base0, %offset0, %i11, %base24, %a11_0, %base24, %a11_1, %base24, %a11_2, %base23, %offset23, %base1, %offset1, %base24, %a11_5, %base24, %a11_6, %position, %i1, %i4, %i2, %i8, %i8, %i64, %i0, %f3eb504f3, %f00000000) : (memref<i32>, index, index, memref<f32>, index, memref<f32>, index, memref<f32>, index, memref<f16>, index, memref<f32>, index, memref<f32>, index, memref<f32>, index, index, index, index, index, index, index, index, index, f32, f32) -> ()
          // layer 1
          func.call @wait(%base0, %offset0, %i11) : (memref<i32>, index, index) -> ()
          %a12_1 = arith.addi %offset24, %i784 : index
          %a12_5 = arith.addi %offset24, %i112 : index
          %a12_6 = arith.addi %offset24, %i32 : index
          func.call @matvec_f16_f32(%base0, %offset0, %i12, %base16, %offset16, %base24, %a12_1, %base24, %offset24, %base24, %offset24, %base24, %offset24, %base24, %a12_5, %base24, %a12_6, %i32, %i32, %i0, %i2, %f00000000, %f3f800000) : (memref<i32>, index, index, memref<i8>, index, memref<f32>, index, memref<f32>, index, memref<f32>, index, memref<f32>, index, memref<f32>, index, memref<f32>, index, index, index, index, index, f32, f32) -> ()
          // layer 1 / mlp
          func.call @wait(%base0, %offset0, %i12) : (memref<i32>, index, index) -> ()
          %a13_2 = arith.addi %offset24, %i32 : index
          %a13_5 = arith.addi %offset24, %i64 : index
          func.call @gated_matvec_f16_f32(%base0, %offset0, %i13, %base18, %offset18, %base19, %offset19, %base24, %a13_2, %base24, %offset24, %base17, %offset17, %base24, %a13_5, %i32, %i40, %i1, %i0, %f3727c5ac) : (memref<i32>, index, index, memref<i8>, index, memref<i8>, index, memref<f32>, index, memref<f32>, index, memref<f32>, index, memref<f32>, index, index, index, index, index, f32) -> ()
          // layer 1
          func.call @wait(%base0, %offset0, %i13) : (memref<i32>, index, index) -> ()
          %a14_1 = arith.addi %offset24, %i64 : index
          %a14_5 = arith.addi %offset24, %i32 : index
          %a14_6 = arith.addi %offset24, %i112 : index
          func.call @matvec_f16_f32(%base0, %offset0, %i14, %base20, %offset20, %base24, %a14_1, %base24, %offset24, %base24, %offset24, %base24, %offset24, %base24, %a14_5, %base24, %a14_6, %i40, %i32, %i0, %i2, %f00000000, %f3f800000) : (memref<i32>, index, index, memref<i8>, index, memref<f32>, index, memref<f32>, index, memref<f32>, index, memref<f32>, index, memref<f32>, index, memref<f32>, index, index, index, index, index, f32, f32) -> ()
          // output
          func.call @wait(%base0, %offset0, %i14) : (memref<i32>, index, index) -> ()
          %a15_1 = arith.addi %offset24, %i112 : index
          func.call @matvec_f16_f32(%base0, %offset0, %i15, %base2, %offset2, %base24, %a15_1, %base24, %offset24, %base21, %offset21, %base24, %offset24, %base24, %offset24, %base26, %offset26, %i32, %i48, %i1, %i0, %f3727c5ac, %f3f800000) : (memref<i32>, index, index, memref<i8>, index, memref<f32>, index, memref<f32>, index, memref<f32>, index, memref<f32>, index, memref<f32>, index, memref<f32>, index, index, index, index, index, f32, f32) -> ()
          // model
          func.call @wait(%base0, %offset0, %i15) : (memref<i32>, index, index) -> ()
          func.call @argmax(%base0, %offset0, %i16, %base26, %offset26, %base25, %offset25, %i1, %i48) : (memref<i32>, index, index, memref<f32>, index, memref<i32>, index, index, index) -> ()
        }
        return
      }
    }
  }

  func.func public @prefill(%tokens: tensor<4xi32>, %position: i32, %count: i32, %cache: tensor<2x4x64x8xf16> {iree.abi.consume}) -> (tensor<1xi32>, tensor<1x48xf32>, tensor<2x4x64x8xf16>) {
    %position.low = arith.constant 0 : i32
    %position.high = arith.constant 60 : i32
    %position.least = arith.maxsi %position, %position.low : i32
    %position.bound = arith.minsi %position.least, %position.high : i32
    %position.index = arith.index_cast %position.bound : i32 to index
    %count.low = arith.constant 1 : i32
    %count.high = arith.constant 4 : i32
    %count.least = arith.maxsi %count, %count.low : i32
    %count.bound = arith.minsi %count.least, %count.high : i32
    %count.index = arith.index_cast %count.bound : i32 to index
    %team.zero = arith.constant 0 : i32
    %team.0 = tensor.splat %team.zero : tensor<368xi32>
    %param0.0 = util.global.load @rope : tensor<64x2x2x4xf32>
    %param1.0 = util.global.load @"token_embd.weight" : tensor<3072xi8>
    %param2.0 = util.global.load @"blk.0.attn_norm.weight" : tensor<32xf32>
    %param3.0 = util.global.load @"blk.0.attn_q.weight" : tensor<2048xi8>
    %param4.0 = util.global.load @"blk.0.attn_k.weight" : tensor<1024xi8>
    %param5.0 = util.global.load @"blk.0.attn_v.weight" : tensor<1024xi8>
    %param6.0 = util.global.load @"blk.0.attn_output.weight" : tensor<2048xi8>
    %param7.0 = util.global.load @"blk.0.ffn_norm.weight" : tensor<32xf32>
    %param8.0 = util.global.load @"blk.0.ffn_gate.weight" : tensor<3072xi8>
    %param9.0 = util.global.load @"blk.0.ffn_up.weight" : tensor<3072xi8>
    %param10.0 = util.global.load @"blk.0.ffn_down.weight" : tensor<2560xi8>
    %param11.0 = util.global.load @"blk.1.attn_norm.weight" : tensor<32xf32>
    %param12.0 = util.global.load @"blk.1.attn_q.weight" : tensor<2048xi8>
    %param13.0 = util.global.load @"blk.1.attn_k.weight" : tensor<1024xi8>
    %param14.0 = util.global.load @"blk.1.attn_v.weight" : tensor<1024xi8>
    %param15.0 = util.global.load @"blk.1.attn_output.weight" : tensor<2048xi8>
    %param16.0 = util.global.load @"blk.1.ffn_norm.weight" : tensor<32xf32>
    %param17.0 = util.global.load @"blk.1.ffn_gate.weight" : tensor<3072xi8>
    %param18.0 = util.global.load @"blk.1.ffn_up.weight" : tensor<3072xi8>
    %param19.0 = util.global.load @"blk.1.ffn_down.weight" : tensor<2560xi8>
    %param20.0 = util.global.load @"output_norm.weight" : tensor<32xf32>
    %prefill_0:5 = flow.dispatch @kernels::@prefill_0(%team.0, %param0.0, %param1.0, %param2.0, %param3.0, %param4.0, %param5.0, %param6.0, %param7.0, %param8.0, %param9.0, %param10.0, %param11.0, %param12.0, %param13.0, %param14.0, %param15.0, %param16.0, %param17.0, %param18.0, %param19.0, %param20.0, %tokens, %cache, %position.index, %count.index) : (tensor<368xi32>, tensor<64x2x2x4xf32>, tensor<3072xi8>, tensor<32xf32>, tensor<2048xi8>, tensor<1024xi8>, tensor<1024xi8>, tensor<2048xi8>, tensor<32xf32>, tensor<3072xi8>, tensor<3072xi8>, tensor<2560xi8>, tensor<32xf32>, tensor<2048xi8>, tensor<1024xi8>, tensor<1024xi8>, tensor<2048xi8>, tensor<32xf32>, tensor<3072xi8>, tensor<3072xi8>, tensor<2560xi8>, tensor<32xf32>, tensor<4xi32>, tensor<2x4x64x8xf16>, index, index) -> (%team.0, %cache, tensor<672xf32>, tensor<1xi32>, tensor<1x48xf32>) loc(fused["embedding", "layer 0 / attention / q_proj", "layer 0 / attention / k_proj", "layer 0 / attention / v_proj", "layer 0 / attention", "layer 0", "layer 0 / mlp", "layer 1 / attention / q_proj", "layer 1 / attention / k_proj", "layer 1 / attention / v_proj", "layer 1 / attention", "layer 1", "layer 1 / mlp", "output", "model"])
    return %prefill_0#3, %prefill_0#4, %prefill_0#1 : tensor<1xi32>, tensor<1x48xf32>, tensor<2x4x64x8xf16>
  }

  func.func public @decode(%token: tensor<1xi32>, %position: i32, %cache: tensor<2x4x64x8xf16> {iree.abi.consume}) -> (tensor<1xi32>, tensor<1x48xf32>, tensor<2x4x64x8xf16>) {
    %position.low = arith.constant 0 : i32
    %position.high = arith.constant 63 : i32
    %position.least = arith.maxsi %position, %position.low : i32
    %position.bound = arith.minsi %position.least, %position.high : i32
    %position.index = arith.index_cast %position.bound : i32 to index
    %team.zero = arith.constant 0 : i32
    %team.0 = tensor.splat %team.zero : tensor<272xi32>
    %param0.0 = util.global.load @rope : tensor<64x2x2x4xf32>
    %param1.0 = util.global.load @"token_embd.weight" : tensor<3072xi8>
    %param2.0 = util.global.load @"blk.0.attn_norm.weight" : tensor<32xf32>
    %param3.0 = util.global.load @"blk.0.attn_q.weight" : tensor<2048xi8>
    %param4.0 = util.global.load @"blk.0.attn_k.weight" : tensor<1024xi8>
    %param5.0 = util.global.load @"blk.0.attn_v.weight" : tensor<1024xi8>
    %param6.0 = util.global.load @"blk.0.attn_output.weight" : tensor<2048xi8>
    %param7.0 = util.global.load @"blk.0.ffn_norm.weight" : tensor<32xf32>
    %param8.0 = util.global.load @"blk.0.ffn_gate.weight" : tensor<3072xi8>
    %param9.0 = util.global.load @"blk.0.ffn_up.weight" : tensor<3072xi8>
    %param10.0 = util.global.load @"blk.0.ffn_down.weight" : tensor<2560xi8>
    %param11.0 = util.global.load @"blk.1.attn_norm.weight" : tensor<32xf32>
    %param12.0 = util.global.load @"blk.1.attn_q.weight" : tensor<2048xi8>
    %param13.0 = util.global.load @"blk.1.attn_k.weight" : tensor<1024xi8>
    %param14.0 = util.global.load @"blk.1.attn_v.weight" : tensor<1024xi8>
    %param15.0 = util.global.load @"blk.1.attn_output.weight" : tensor<2048xi8>
    %param16.0 = util.global.load @"blk.1.ffn_norm.weight" : tensor<32xf32>
    %param17.0 = util.global.load @"blk.1.ffn_gate.weight" : tensor<3072xi8>
    %param18.0 = util.global.load @"blk.1.ffn_up.weight" : tensor<3072xi8>
    %param19.0 = util.global.load @"blk.1.ffn_down.weight" : tensor<2560xi8>
    %param20.0 = util.global.load @"output_norm.weight" : tensor<32xf32>
    %decode_0:5 = flow.dispatch @kernels::@decode_0(%team.0, %param0.0, %param1.0, %param2.0, %param3.0, %param4.0, %param5.0, %param6.0, %param7.0, %param8.0, %param9.0, %param10.0, %param11.0, %param12.0, %param13.0, %param14.0, %param15.0, %param16.0, %param17.0, %param18.0, %param19.0, %param20.0, %token, %cache, %position.index) : (tensor<272xi32>, tensor<64x2x2x4xf32>, tensor<3072xi8>, tensor<32xf32>, tensor<2048xi8>, tensor<1024xi8>, tensor<1024xi8>, tensor<2048xi8>, tensor<32xf32>, tensor<3072xi8>, tensor<3072xi8>, tensor<2560xi8>, tensor<32xf32>, tensor<2048xi8>, tensor<1024xi8>, tensor<1024xi8>, tensor<2048xi8>, tensor<32xf32>, tensor<3072xi8>, tensor<3072xi8>, tensor<2560xi8>, tensor<32xf32>, tensor<1xi32>, tensor<2x4x64x8xf16>, index) -> (%team.0, %cache, tensor<816xf32>, tensor<1xi32>, tensor<1x48xf32>) loc(fused["embedding", "layer 0 / attention / q_proj", "layer 0 / attention / k_proj", "layer 0 / attention / v_proj", "layer 0 / attention", "layer 0", "layer 0 / mlp", "layer 1 / attention / q_proj", "layer 1 / attention / k_proj", "layer 1 / attention / v_proj", "layer 1 / attention", "layer 1", "layer 1 / mlp", "output", "model"])
    return %decode_0#3, %decode_0#4, %decode_0#1 : tensor<1xi32>, tensor<1x48xf32>, tensor<2x4x64x8xf16>
  }
}
